/**
 * The pages of an LMDB file, as lmdb writes them (data format 2): read from untrusted bytes. Every length and offset is
 * checked before it is followed, which LMDB itself does not do.
 */

export const headerBytes = 24;
const nodeHeaderBytes = 8;
const overflowReferenceBytes = 24;
const overflowReference = 0x01;
const subDatabase = 0x02;
const kinds: Readonly<Record<number, PageKind>> = { 1: 'branch', 2: 'leaf', 4: 'overflow', 8: 'meta' };
const branchChildrenMin = 2;

export type PageKind = 'branch' | 'leaf' | 'overflow' | 'meta';

/** An invalid part of a file. */
export class MdbDamage extends Error {}

/** A node of a leaf: its value is in the page, or in separate pages. */
export interface LeafNode {
  readonly key: Buffer;
  /** The value, when it is in the page. */
  readonly value?: Buffer;
  readonly overflow?: { readonly page: number; readonly pages: number; readonly bytes: number };
  /** The value describes a tree. */
  readonly isTree: boolean;
}

/**
 * The kind of a page that claims to be the page with this number and of no later transaction than `transaction`; throws
 * `MdbDamage` for any other.
 */
export function kindOf(page: Buffer, number: number, transaction: number): PageKind {
  const kind = kinds[page.readUInt16LE(18)];
  if (
    kind === undefined ||
    page.readUInt16LE(16) !== 0 ||
    numberAt(page, 0) !== number ||
    numberAt(page, 8) > transaction
  )
    throw new MdbDamage(`page ${number} is no page of this database`);
  return kind;
}

/** A page below a branch. All of its keys are at least `key`, and less than that of the next. */
export interface Child {
  readonly page: number;
  readonly key: Buffer;
}

export function branchChildren(page: Buffer, number: number): Child[] {
  const nodes = nodesOf(page, number);
  if (nodes.length < branchChildrenMin) throw new MdbDamage(`the header of page ${number} is damaged`);
  return nodes.map((at) => ({
    page: page.readUInt16LE(at) + page.readUInt16LE(at + 2) * 2 ** 16 + page.readUInt16LE(at + 4) * 2 ** 32,
    key: slice(page, at + nodeHeaderBytes, page.readUInt16LE(at + 6), number),
  }));
}

export function leafNodes(page: Buffer, number: number): LeafNode[] {
  return nodesOf(page, number).map((at) => {
    const flags = page.readUInt16LE(at + 4);
    const keyBytes = page.readUInt16LE(at + 6);
    const valueBytes = page.readUInt16LE(at) + page.readUInt16LE(at + 2) * 2 ** 16;
    const key = slice(page, at + nodeHeaderBytes, keyBytes, number);
    const isTree = flags === subDatabase;
    if (!isTree && (flags & ~overflowReference) !== 0)
      throw new MdbDamage(`page ${number} has an entry of an unknown kind`);
    if ((flags & overflowReference) === 0)
      return { key, isTree, value: slice(page, at + nodeHeaderBytes + keyBytes, valueBytes, number) };
    const reference = slice(page, at + nodeHeaderBytes + keyBytes, overflowReferenceBytes, number);
    return {
      key,
      isTree,
      overflow: { page: numberAt(reference, 0), pages: numberAt(reference, 16), bytes: valueBytes },
    };
  });
}

/**
 * Checks a leaf as `leafNodes` does, and calls `refer` for each value in separate pages. Allocates no objects, as it
 * runs over whole databases at each start.
 */
export function checkLeaf(
  page: Buffer,
  number: number,
  refer: (page: number, pages: number, valueBytes: number) => void,
): void {
  const end = headerBytes + assertHeader(page, number);
  const lowest = headerBytes + page.readUInt16LE(22);
  for (let at = headerBytes; at < end; at += 2) {
    const node = headerBytes + page[at]! + page[at + 1]! * 256;
    if (node < lowest || node + nodeHeaderBytes > page.length)
      throw new MdbDamage(`page ${number} points outside of itself`);
    const valueAt = node + nodeHeaderBytes + page[node + 6]! + page[node + 7]! * 256;
    const valueBytes = page[node]! + page[node + 1]! * 256 + page[node + 2]! * 65536 + page[node + 3]! * 2 ** 24;
    const isElsewhere = page[node + 4] === overflowReference;
    if ((!isElsewhere && page[node + 4] !== 0) || page[node + 5] !== 0)
      throw new MdbDamage(`page ${number} has an entry of an unknown kind`);
    if (valueAt + (isElsewhere ? overflowReferenceBytes : valueBytes) > page.length)
      throw new MdbDamage(`page ${number} has an entry that is longer than it`);
    if (isElsewhere) refer(numberAt(page, valueAt), numberAt(page, valueAt + 16), valueBytes);
  }
}

/** Offsets of the nodes in a branch or leaf. */
function nodesOf(page: Buffer, number: number): number[] {
  const lower = assertHeader(page, number);
  const upper = page.readUInt16LE(22);
  const nodes: number[] = [];
  for (let at = headerBytes; at < headerBytes + lower; at += 2) {
    const node = headerBytes + page.readUInt16LE(at);
    if (node < headerBytes + upper || node + nodeHeaderBytes > page.length)
      throw new MdbDamage(`page ${number} points outside of itself`);
    nodes.push(node);
  }
  return nodes;
}

/** Bytes of the list of nodes. */
function assertHeader(page: Buffer, number: number): number {
  const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
  if (lower === 0 || lower % 2 !== 0 || lower > upper || upper > page.length - headerBytes)
    throw new MdbDamage(`the header of page ${number} is damaged`);
  return lower;
}

function slice(page: Buffer, at: number, bytes: number, number: number): Buffer {
  if (at + bytes > page.length) throw new MdbDamage(`page ${number} has an entry that is longer than it`);
  return page.subarray(at, at + bytes);
}

/** 64 bits as a number; what is no page number or count becomes infinite, so that every comparison refuses it. */
export function numberAt(bytes: Buffer, at: number): number {
  const high = bytes.readUInt32LE(at + 4);
  return high < 2 ** 21 ? high * 2 ** 32 + bytes.readUInt32LE(at) : Infinity;
}
