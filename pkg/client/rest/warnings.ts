import { BoundedCache } from '../../apimachinery/collections/bounded-cache.ts';

/** Takes the texts of `Warning` headers: of deprecated versions, of unknown fields. */
export type WarningHandler = (text: string) => void;

/** Code of the warnings that API servers send (RFC 7234 section 5.5). */
const CODE = '299';
const WARNING = /\s*(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"(?: "[^"]*")?\s*(?:,|$)/y;
/** Texts that are remembered. */
const TEXTS_MAX = 1000;

/** The texts of a `Warning` header, or of several that were joined; what is malformed ends them. */
export function warningTexts(header: string): string[] {
  const texts: string[] = [];
  WARNING.lastIndex = 0;
  for (let found = WARNING.exec(header); found !== null; found = WARNING.exec(header)) {
    const [, code, , text = ''] = found;
    if (code === CODE) texts.push(text.replace(/\\(.)/g, '$1'));
  }
  return texts;
}

/** Writes each text once, so that a controller which writes often does not repeat the same warning for ever. */
export function logWarningsOnce(
  write: WarningHandler = (text) => process.emitWarning(text, 'KubernetesWarning'),
): WarningHandler {
  const seen = new BoundedCache<true>(TEXTS_MAX);
  return (text) => {
    if (seen.get(text) !== undefined) return;
    seen.set(text, true);
    write(text);
  };
}
