/** One entry of an `Accept` header. */
export interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  /** Lower-case names; without `q`. */
  readonly params: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * The entries of an `Accept` header, by preference: by quality, then named types before wildcards, then as sent. An
 * absent header accepts everything; entries that are not media ranges are dropped (RFC 9110, section 12.5.1).
 */
export function parseAccept(header: string | undefined): MediaRange[] {
  const text = header === undefined || header.trim() === '' ? '*/*' : header;
  return text
    .split(',')
    .map(parseRange)
    .filter((r) => r !== undefined)
    .sort(byPreference);
}

function parseRange(text: string): MediaRange | undefined {
  const [range = '', ...rest] = text.split(';').map((part) => part.trim());
  const [type = '', subtype = ''] = range.toLowerCase() === '*' ? ['*', '*'] : range.split('/');
  if (type === '' || subtype === '') return undefined;
  const params = new Map<string, string>();
  let quality = 1;
  for (const part of rest) {
    const equals = part.indexOf('=');
    if (equals < 0) continue;
    const name = part.slice(0, equals).trim().toLowerCase();
    const value = part
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1');
    if (name === 'q') quality = Number.isNaN(Number(value)) ? 1 : Number(value);
    else params.set(name, value);
  }
  return quality <= 0 ? undefined : { type, subtype, params, quality };
}

const wildcards = (range: MediaRange): number => (range.type === '*' ? 2 : range.subtype === '*' ? 1 : 0);

function byPreference(a: MediaRange, b: MediaRange): number {
  return b.quality - a.quality || wildcards(a) - wildcards(b);
}

/** Whether `range` matches `type/subtype`; parameters are for the caller to check. */
export function accepts(range: MediaRange, mediaType: string): boolean {
  const slash = mediaType.indexOf('/');
  const typeFits = range.type === '*' || range.type === mediaType.slice(0, slash);
  return typeFits && (range.subtype === '*' || range.subtype === mediaType.slice(slash + 1));
}

/** Whether an `Accept-Encoding` header takes gzip. */
export function acceptsGzip(header: string | undefined): boolean {
  return (header ?? '').split(',').some((part) => {
    const [coding = '', ...params] = part.split(';').map((p) => p.trim().toLowerCase());
    return coding === 'gzip' && !params.some((p) => /^q=0(\.0*)?$/.test(p));
  });
}
