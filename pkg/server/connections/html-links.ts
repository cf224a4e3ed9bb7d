import { Transform, type TransformCallback } from 'node:stream';
import { readTag, type HtmlTag } from './html-tag.ts';

/** Attributes with a reference as value, by element (HTML 4.01 and HTML). */
const references: ReadonlyMap<string, readonly string[]> = new Map([
  ['a', ['href']],
  ['applet', ['codebase']],
  ['area', ['href']],
  ['audio', ['src']],
  ['base', ['href']],
  ['blockquote', ['cite']],
  ['body', ['background']],
  ['button', ['formaction']],
  ['command', ['icon']],
  ['del', ['cite']],
  ['embed', ['src']],
  ['form', ['action']],
  ['frame', ['longdesc', 'src']],
  ['head', ['profile']],
  ['html', ['manifest']],
  ['iframe', ['longdesc', 'src']],
  ['img', ['longdesc', 'src', 'usemap']],
  ['input', ['src', 'usemap', 'formaction']],
  ['ins', ['cite']],
  ['link', ['href']],
  ['object', ['classid', 'codebase', 'data', 'usemap']],
  ['q', ['cite']],
  ['script', ['src']],
  ['source', ['src']],
  ['video', ['poster', 'src']],
]);

/** The end of raw text: the content of such an element, a comment, a tag that is too long to be read. */
const textEnds: ReadonlyMap<string, RegExp> = new Map(
  ['iframe', 'noembed', 'noframes', 'script', 'style', 'textarea', 'title', 'xmp'].map((name) => [
    name,
    new RegExp(`</${name}[\\s/>]`, 'gi'),
  ]),
);
const COMMENT_END = /-->/g;
const TAG_END = />/g;
/** Longer than each of these ends. */
const END_LENGTH_MAX = 16;

/** Characters of a tag; a longer one passes unchanged. */
const TAG_LENGTH_MAX = 16_384;

export interface HtmlLinksSettings {
  readonly rewrite: (reference: string) => string;
  /** A longer page breaks off. */
  readonly bytesMax: number;
}

/**
 * Rewrites the references of an HTML page while it passes; all other bytes stay unchanged. Works in any encoding that
 * contains ASCII.
 */
export class HtmlLinks extends Transform {
  private readonly settings: HtmlLinksSettings;
  private bytes = 0;
  /** Too little yet to recognize it. */
  private held = '';
  /** Where the raw text ends. */
  private opaqueUntil: RegExp | undefined;

  constructor(settings: HtmlLinksSettings) {
    super();
    this.settings = settings;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    if (this.bytes > this.settings.bytesMax)
      return done(new Error(`the page is longer than ${this.settings.bytesMax} bytes`));
    done(null, Buffer.from(this.rewritten(this.held + chunk.toString('latin1')), 'latin1'));
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(this.held, 'latin1'));
  }

  /** The part of this text that may go out; the rest is held. */
  private rewritten(text: string): string {
    const out: string[] = [];
    let at = 0;
    let next: number | undefined = 0;
    while (next !== undefined && at < text.length) {
      next = this.opaqueUntil === undefined ? this.nextTag(text, at, out) : this.skip(text, at, this.opaqueUntil, out);
      at = next ?? at;
    }
    return out.join('');
  }

  /** Both advance and return the new position; undefined when the rest is held. */
  private skip(text: string, at: number, end: RegExp, out: string[]): number | undefined {
    end.lastIndex = at;
    const found = end.exec(text);
    if (found === null) return this.hold(text, at, Math.max(at, text.length - END_LENGTH_MAX), out);
    this.opaqueUntil = undefined;
    return this.letPass(text, at, found.index + (found[0].startsWith('<') ? 0 : found[0].length), out);
  }

  private nextTag(text: string, at: number, out: string[]): number | undefined {
    const open = text.indexOf('<', at);
    if (open < 0) return this.letPass(text, at, text.length, out);
    if (text.startsWith('<!--', open)) {
      this.opaqueUntil = COMMENT_END;
      // Its second dash may be the first of its end.
      return this.letPass(text, at, open + 2, out);
    }
    const rest = text.length - open;
    if (rest < 4 && '<!--'.startsWith(text.slice(open))) return this.hold(text, at, open, out);
    if (!/[a-z]/i.test(text[open + 1]!)) return this.letPass(text, at, open + 1, out);
    const tag = readTag(text, open);
    if (tag !== undefined) return this.passTag(text, this.letPass(text, at, open, out), tag, out);
    if (rest <= TAG_LENGTH_MAX) return this.hold(text, at, open, out);
    this.opaqueUntil = TAG_END;
    return this.letPass(text, at, open + 1, out);
  }

  private passTag(text: string, open: number, { name, attributes, end }: HtmlTag, out: string[]): number {
    const wanted = references.get(name) ?? [];
    let at = open;
    for (const attribute of attributes) {
      if (!wanted.includes(attribute.name)) continue;
      out.push(text.slice(at, attribute.start), this.settings.rewrite(text.slice(attribute.start, attribute.end)));
      at = attribute.end;
    }
    this.opaqueUntil = textEnds.get(name);
    return this.letPass(text, at, end, out);
  }

  private letPass(text: string, from: number, to: number, out: string[]): number {
    out.push(text.slice(from, to));
    this.held = '';
    return to;
  }

  private hold(text: string, from: number, to: number, out: string[]): undefined {
    this.letPass(text, from, to, out);
    this.held = text.slice(to);
    return undefined;
  }
}
