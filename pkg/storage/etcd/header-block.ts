/**
 * HTTP/2 header blocks (RFC 7541) for a connection without a dynamic table: with a table of size 0 every block is
 * independent of the ones before, so a block that comes again is read from a cache. Written blocks are not compressed
 * beyond the static table's names.
 */

/** Names of the static table (RFC 7541, appendix A), from index 1; those with values as `name=value`. */
const staticTable = [
  ':authority',
  ':method=GET',
  ':method=POST',
  ':path=/',
  ':path=/index.html',
  ':scheme=http',
  ':scheme=https',
  ':status=200',
  ':status=204',
  ':status=206',
  ':status=304',
  ':status=400',
  ':status=404',
  ':status=500',
  'accept-charset',
  'accept-encoding=gzip, deflate',
  'accept-language',
  'accept-ranges',
  'accept',
  'access-control-allow-origin',
  'age',
  'allow',
  'authorization',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-range',
  'content-type',
  'cookie',
  'date',
  'etag',
  'expect',
  'expires',
  'from',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-modified',
  'link',
  'location',
  'max-forwards',
  'proxy-authenticate',
  'proxy-authorization',
  'range',
  'referer',
  'refresh',
  'retry-after',
  'server',
  'set-cookie',
  'strict-transport-security',
  'transfer-encoding',
  'user-agent',
  'vary',
  'via',
  'www-authenticate',
].map((entry) => entry.split('=', 2) as [string, string?]);

/**
 * The Huffman code (RFC 7541, appendix B), which is canonical: by length, symbols in the order of their codes. Only the
 * characters of gRPC's headers, which are printable ASCII, and what the order of those needs.
 */
const symbolsByLength = new Map([
  [5, '012aceiost'],
  [6, ' %-./3456789=A_bdfghlmnpru'],
  [7, ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz'],
  [8, '&*,;XZ'],
  [10, '!"()?'],
  [11, "'+|"],
  [12, '#>'],
  [13, '\0$@[]~'],
  [14, '^}'],
  [15, '<`{'],
  [19, '\\'],
]);
const codeBitsMax = 19;

export type Headers = ReadonlyMap<string, string>;

/** A header as a literal that is added to no table. Texts are ASCII. */
export function encodeHeader(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), encodeText(name), encodeText(value)]);
}

function encodeText(text: string): Buffer {
  const length = [Math.min(text.length, 127)];
  for (let left = text.length - 127; left >= 0; left = left < 128 ? -1 : left >>> 7)
    length.push(left < 128 ? left : (left & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from(length), Buffer.from(text, 'latin1')]);
}

/** Reads the header blocks of one connection. */
export class HeaderBlockReader {
  readonly #known = new Map<string, Headers>();

  /** Throws when the block is not valid, refers to a dynamic table, or holds characters that gRPC does not send. */
  read(block: Buffer): Headers {
    if (block.length > knownBlockBytesMax) return readBlock(block);
    const identity = block.toString('latin1');
    let headers = this.#known.get(identity);
    if (headers === undefined) {
      headers = readBlock(block);
      if (this.#known.size >= knownBlocksMax) this.#known.clear();
      this.#known.set(identity, headers);
    }
    return headers;
  }
}

const knownBlocksMax = 64;
const knownBlockBytesMax = 4096;

function readBlock(block: Buffer): Headers {
  const headers = new Map<string, string>();
  const cursor = { block, at: 0 };
  while (cursor.at < block.length) {
    const first = block[cursor.at]!;
    if (first >= 0x80) {
      const [name, value = ''] = staticEntry(readInteger(cursor, 7));
      headers.set(name, value);
    } else if ((first & 0xe0) === 0x20) {
      // The size of the dynamic table: the peer confirms our 0.
      readInteger(cursor, 5);
    } else {
      // With incremental indexing, without, and never: they differ only in the use of a table.
      const index = readInteger(cursor, first >= 0x40 ? 6 : 4);
      const name = index === 0 ? readText(cursor) : staticEntry(index)[0];
      headers.set(name, readText(cursor));
    }
  }
  return headers;
}

interface Cursor {
  readonly block: Buffer;
  at: number;
}

function staticEntry(index: number): [string, string?] {
  const entry = staticTable[index - 1];
  if (entry === undefined) throw new RangeError(`a header block refers to entry ${index} of a table that there is not`);
  return entry;
}

/** An integer with a prefix of `bits` bits (RFC 7541, 5.1). */
function readInteger(cursor: Cursor, prefixBits: number): number {
  const mask = (1 << prefixBits) - 1;
  let value = byteAt(cursor) & mask;
  if (value < mask) return value;
  for (let factor = 1; factor <= 128 ** 3; factor *= 128) {
    const byte = byteAt(cursor);
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
  throw new RangeError('a number in a header block is too large');
}

function readText(cursor: Cursor): string {
  const isCoded = cursor.block[cursor.at]! >= 0x80;
  const length = readInteger(cursor, 7);
  const end = cursor.at + length;
  if (end > cursor.block.length) throw new RangeError('a header block is cut off');
  const bytes = cursor.block.subarray(cursor.at, end);
  cursor.at = end;
  return isCoded ? readCoded(bytes) : bytes.toString('latin1');
}

function byteAt(cursor: Cursor): number {
  const byte = cursor.block[cursor.at++];
  if (byte === undefined) throw new RangeError('a header block is cut off');
  return byte;
}

function readCoded(bytes: Buffer): string {
  let text = '';
  let length = 0;
  // The code read so far, and the first code of its length: in a canonical code these follow from the numbers of
  // shorter codes.
  let code = 0;
  let first = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      length++;
      code = (code << 1) | ((byte >> bit) & 1);
      first <<= 1;
      const symbols = symbolsByLength.get(length) ?? '';
      const offset = code - first;
      if (offset < symbols.length) {
        text += symbols[offset];
        length = code = first = 0;
      } else first += symbols.length;
      if (length >= codeBitsMax) throw new RangeError('a header holds what gRPC does not send');
    }
  }
  // Padded with ones, less than a byte of them.
  if (length > 7 || code !== (1 << length) - 1) throw new RangeError('a header does not end with its code');
  return text;
}
