import type { RawRequest } from './request-context.ts';

/** All values of a header in the order sent; the runtime's own `headers` puts them into one text, in which a comma may be anything. */
export function headerValues({ rawHeaders }: RawRequest, name: string): readonly string[] {
  const lowercase = name.toLowerCase();
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === lowercase);
}

/** Puts one header in the place of all of its name; whoever forwards the request forwards it so. `name` is lowercase. */
export function replaceHeader(request: RawRequest, name: string, value: string): void {
  removeHeader(request, name);
  request.headers[name] = value;
  request.rawHeaders.push(name, value);
}

/** Takes one header out of a request; `name` is lowercase. */
export function removeHeader({ headers, rawHeaders }: RawRequest, name: string): void {
  if (headers[name] === undefined) return;
  // Not deleted: an object that lost a key is slow from then on.
  headers[name] = undefined;
  removeRaw(rawHeaders, (other) => other.length === name.length && other.toLowerCase() === name);
}

/** Takes headers out of a request, so that nothing further in sees or forwards them. `matches` is asked with lowercase names. */
export function removeHeaders({ headers, rawHeaders }: RawRequest, matches: (name: string) => boolean): void {
  for (const name of Object.keys(headers)) {
    if (matches(name)) delete headers[name];
  }
  removeRaw(rawHeaders, (name) => matches(name.toLowerCase()));
}

function removeRaw(rawHeaders: string[], matches: (name: string) => boolean): void {
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    if (matches(rawHeaders[i]!)) rawHeaders.splice(i, 2);
  }
}
