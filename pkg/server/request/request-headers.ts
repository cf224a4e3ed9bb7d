import { isUtf8 } from 'node:buffer';
import type { Exchange } from './exchange.ts';

type Headers = Pick<Exchange, 'headers' | 'rawHeaders'>;

/**
 * All values of a header in the order sent; the runtime's own `headers` joins them into one text, in which commas are
 * ambiguous.
 */
export function headerValues({ rawHeaders }: Pick<Headers, 'rawHeaders'>, name: string): readonly string[] {
  const lowercase = name.toLowerCase();
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === lowercase).map(sentText);
}

/**
 * The values of all headers whose lowercase names begin with `prefix`, by these names. Goes through the headers once,
 * however many there are.
 */
export function headersWith(
  { rawHeaders }: Pick<Headers, 'rawHeaders'>,
  prefix: string,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!name.startsWith(prefix)) continue;
    const values = found.get(name);
    if (values === undefined) found.set(name, [sentText(rawHeaders[i + 1]!)]);
    else values.push(sentText(rawHeaders[i + 1]!));
  }
  return found;
}

const ASCII = /^[\0-\x7f]*$/;

/**
 * A client's header or target, of which the runtime makes one character of each byte: names are sent in UTF-8. Other
 * bytes stay unchanged.
 */
export function sentText(value: string): string {
  if (ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/** Replaces all values of a header by one; forwarded requests have only that. `name` is lowercase. */
export function replaceHeader(request: Headers, name: string, value: string): void {
  removeHeader(request, name);
  request.headers[name] = value;
  request.rawHeaders.push(name, value);
}

/** Takes one header out of a request; `name` is lowercase. */
export function removeHeader({ headers, rawHeaders }: Headers, name: string): void {
  if (headers[name] === undefined) return;
  // Not deleted: an object that lost a key is slow from then on.
  headers[name] = undefined;
  removeRaw(rawHeaders, (other) => other.length === name.length && other.toLowerCase() === name);
}

/**
 * Takes headers out of a request, so that nothing further in sees or forwards them. `matches` is asked with lowercase
 * names.
 */
export function removeHeaders({ headers, rawHeaders }: Headers, matches: (name: string) => boolean): void {
  for (const name of Object.keys(headers)) {
    if (matches(name)) delete headers[name];
  }
  removeRaw(rawHeaders, (name) => matches(name.toLowerCase()));
}

function removeRaw(rawHeaders: string[], matches: (name: string) => boolean): void {
  let kept = 0;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (matches(rawHeaders[i]!)) continue;
    rawHeaders[kept++] = rawHeaders[i]!;
    rawHeaders[kept++] = rawHeaders[i + 1]!;
  }
  rawHeaders.length = kept;
}
