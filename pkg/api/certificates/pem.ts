/** One block of a PEM text (RFC 7468, with the headers of RFC 1421). */
export interface PemBlock {
  /** `CERTIFICATE REQUEST` */
  readonly type: string;
  readonly headers: number;
  readonly bytes: Buffer;
}

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const DASHES = '-----';

/**
 * The well-formed blocks of a text in order; text between them, and broken blocks, are skipped. Linear in the text's
 * length.
 */
export function* pemBlocks(text: string): Generator<PemBlock> {
  let from = 0;
  let end = -1;
  for (;;) {
    const begin = lineStart(text, BEGIN, from);
    if (begin < 0) return;
    const lineEnd = endOfLine(text, begin);
    const type = labelOf(text.slice(begin + BEGIN.length, lineEnd));
    from = lineEnd;
    if (type === undefined) continue;
    // Many beginnings may share one end: it is searched once.
    if (end < lineEnd) end = lineStart(text, END, lineEnd);
    if (end < 0) return;
    const last = endOfLine(text, end);
    if (labelOf(text.slice(end + END.length, last)) !== type) continue;
    const block = decodeBody(type, text.slice(lineEnd, end));
    if (block === undefined) continue;
    yield block;
    from = last;
  }
}

/** Where a line begins with `marker`. */
function lineStart(text: string, marker: string, from: number): number {
  for (let at = text.indexOf(marker, from); at >= 0; at = text.indexOf(marker, at + 1)) {
    if (at === 0 || text[at - 1] === '\n') return at;
  }
  return -1;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function labelOf(line: string): string | undefined {
  const trimmed = line.trimEnd();
  return trimmed.endsWith(DASHES) ? trimmed.slice(0, -DASHES.length) : undefined;
}

function decodeBody(type: string, body: string): PemBlock | undefined {
  const lines = body.split('\n');
  let headers = 0;
  let first = lines[0]?.trim() === '' ? 1 : 0;
  while (first < lines.length && lines[first]!.includes(':')) {
    headers++;
    first++;
  }
  const base64 = lines
    .slice(first)
    .join('')
    .replaceAll(/[ \t\r]/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) return undefined;
  return { type, headers, bytes: Buffer.from(base64, 'base64') };
}
