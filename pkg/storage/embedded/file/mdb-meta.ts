/**
 * The two meta pages of an LMDB file, which refer to everything else. Each transaction writes the one of its parity.
 */
import { headerBytes, MdbDamage, numberAt } from './mdb-page.ts';

const magic = 0xbeefc0de;
const dataFormat = 2;
const metaFlag = 8;
/** Flags of the tree of free pages, whose keys are numbers, and of all others. */
const freeTreeFlags = 8;
const tableFlags = 0;
const treeBytes = 48;
const freeTreeAt = headerBytes + 24;
const mainTreeAt = freeTreeAt + treeBytes;
const lastPageAt = mainTreeAt + treeBytes;
const transactionAt = lastPageAt + 8;
const mapBytesMax = 2 ** 46;
export const metaBytes = transactionAt + 8;
export const noPage = Infinity;
export const usualPageBytes = 4096;

/** A tree in the file: the main one, that of free pages, or a table. */
export interface Tree {
  readonly root: number;
  readonly depth: number;
  readonly entries: number;
}

export const noTree: Tree = { root: noPage, depth: 0, entries: 0 };

export interface Meta {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: number;
  readonly free: Tree;
  readonly main: Tree;
}

/** The newest valid meta page, and the damage of the other one or between them. */
export function readMetas(
  fileBytes: number,
  read: (at: number) => Buffer,
): { readonly newest: Meta | undefined; readonly damage: readonly string[] } {
  const metaAt = (number: number, pageBytes: number): Meta | undefined => {
    const at = number * pageBytes;
    const meta = fileBytes < at + metaBytes ? undefined : metaIn(read(at), number);
    return number === 0 || meta?.pageBytes === pageBytes ? meta : undefined;
  };
  const first = metaAt(0, usualPageBytes);
  // The first one says where the second is; where it is damaged the usual sizes are tried.
  const second = (first === undefined ? [usualPageBytes, 16384, 65536] : [first.pageBytes])
    .map((bytes) => metaAt(1, bytes))
    .find((meta) => meta !== undefined);
  if (first === undefined || second === undefined)
    return { newest: first ?? second, damage: [`meta page ${first === undefined ? 0 : 1} is damaged`] };
  const [newest, older] = second.transaction > first.transaction ? [second, first] : [first, second];
  const fits = newest.transaction - older.transaction <= 1 && newest.lastPage >= older.lastPage;
  return { newest, damage: fits ? [] : ['the meta pages do not fit each other'] };
}

/** Undefined for what cannot be one. */
function metaIn(bytes: Buffer, number: number): Meta | undefined {
  const [lastPage, transaction, mapBytes] = [
    numberAt(bytes, lastPageAt),
    numberAt(bytes, transactionAt),
    numberAt(bytes, headerBytes + 16),
  ];
  const pageBytes = bytes.readUInt32LE(freeTreeAt);
  const isMeta =
    bytes.readUInt32LE(headerBytes) === magic &&
    bytes.readUInt32LE(headerBytes + 4) === dataFormat &&
    numberAt(bytes, 0) === number &&
    bytes.readUInt16LE(18) === metaFlag &&
    numberAt(bytes, headerBytes + 8) === 0;
  const isPageSize = pageBytes >= 256 && pageBytes <= 65536 && (pageBytes & (pageBytes - 1)) === 0;
  const isOfPage = transaction === 0 || transaction % 2 === number;
  if (!isMeta || !isPageSize || !isOfPage || !(mapBytes <= mapBytesMax) || !((lastPage + 1) * pageBytes <= mapBytesMax))
    return undefined;
  try {
    return {
      pageBytes,
      lastPage,
      transaction,
      free: treeAt(bytes, freeTreeAt, pageBytes, freeTreeFlags),
      main: treeAt(bytes, mainTreeAt),
    };
  } catch (error) {
    if (error instanceof MdbDamage) return undefined;
    throw error;
  }
}

/** `pad` and `flags`: what the description of an ordinary table has there. */
export function treeAt(bytes: Buffer, at: number, pad = 0, flags = tableFlags): Tree {
  if (bytes.length < at + treeBytes || bytes.readUInt32LE(at) !== pad || bytes.readUInt16LE(at + 4) !== flags)
    throw new MdbDamage('the description of a table is damaged');
  const [depth, entries, root] = [bytes.readUInt16LE(at + 6), numberAt(bytes, at + 32), numberAt(bytes, at + 40)];
  // An empty tree has no root, written as the greatest number.
  const isEmpty = bytes.readBigUInt64LE(at + 40) === 2n ** 64n - 1n;
  if (isEmpty !== (root === noPage) || isEmpty !== (entries === 0) || isEmpty !== (depth === 0))
    throw new MdbDamage('the description of a table is damaged');
  return { depth, entries, root };
}
