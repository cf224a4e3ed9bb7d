/**
 * Reads an LMDB file as a file, without mapping it: to check one before LMDB opens it, and to recover the content of a
 * damaged one.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { metaBytes, noPage, noTree, readMetas, treeAt, usualPageBytes } from './mdb-meta.ts';
import type { Tree } from './mdb-meta.ts';
import { branchChildren, checkLeaf, headerBytes, kindOf, leafNodes, MdbDamage, numberAt } from './mdb-page.ts';
import type { Child, LeafNode } from './mdb-page.ts';

const firstPage = 2;
/** Deeper than any tree of four-kilobyte pages in a file of exabytes. */
const depthMax = 32;

export interface Entry {
  readonly key: Buffer;
  /** Reads the value. Throws `MdbDamage`. */
  value(): Buffer;
}

type Overflow = NonNullable<LeafNode['overflow']>;

/** By page number: 1 for pages in use. */
export type PageMarks = Uint8Array;

export interface EntriesOptions {
  readonly marks: PageMarks;
  readonly onDamage?: OnDamage | undefined;
  readonly wantsTrees?: boolean;
}

/** Called with each damage; without it the first damage is thrown. */
export type OnDamage = (damage: MdbDamage) => void;

export class MdbFile {
  readonly path: string;
  readonly free: Tree;
  readonly #main: Tree;
  /** Damage of the meta pages, although one of them can be followed. */
  readonly metaDamage: readonly string[];
  readonly #transaction: number;
  /** Number of the page after the last one in use, or after the last one that is in the file. */
  readonly pageEnd: number;
  readonly #file: number;
  readonly #pageBytes: number;

  /**
   * Throws `MdbDamage` when neither meta page is valid, unless `blind`: then it has no trees, and only strays. Throws
   * errors of the file system unchanged.
   */
  constructor(path: string, blind = false) {
    this.path = path;
    this.#file = openSync(path, 'r');
    try {
      const { size } = fstatSync(this.#file);
      const metas = readMetas(size, (at) => this.#read(at, metaBytes));
      const meta =
        metas.newest ??
        (blind
          ? {
              pageBytes: usualPageBytes,
              lastPage: Infinity,
              transaction: Number.MAX_SAFE_INTEGER,
              free: noTree,
              main: noTree,
            }
          : undefined);
      if (meta === undefined) throw new MdbDamage('there is no database in it');
      this.metaDamage = metas.damage;
      this.#transaction = meta.transaction;
      this.#pageBytes = meta.pageBytes;
      this.pageEnd = Math.min(meta.lastPage + 1, Math.floor(size / meta.pageBytes));
      this.free = meta.free;
      this.#main = meta.main;
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** No page is marked yet. */
  marks(): PageMarks {
    return new Uint8Array(this.pageEnd);
  }

  /** The tables by name. */
  tables(marks: PageMarks, onDamage?: OnDamage): Map<string, Tree> {
    const tables = new Map<string, Tree>();
    for (const { key, value } of this.entries(this.#main, { marks, onDamage, wantsTrees: true })) {
      // lmdb ends names with a zero.
      tables.set(key.toString('utf8', 0, key.at(-1) === 0 ? key.length - 1 : key.length), treeAt(value(), 0));
    }
    return tables;
  }

  /** The entries of a tree in order. Marks the pages that it uses. */
  *entries(tree: Tree, { marks, onDamage, wantsTrees = false }: EntriesOptions): Generator<Entry> {
    const report =
      onDamage ??
      ((damage: MdbDamage): never => {
        throw damage;
      });
    let count = 0;
    let isWhole = true;
    const walk = {
      marks,
      report: (damage: MdbDamage) => {
        isWhole = false;
        report(damage);
      },
    };
    for (const node of this.#leaves(tree, walk)) {
      count++;
      if (node.isTree !== wantsTrees) walk.report(new MdbDamage('an entry is of the wrong kind'));
      else yield { key: node.key, value: () => this.#valueOf(node) };
    }
    if (isWhole && count !== tree.entries)
      report(new MdbDamage(`a tree has ${count} entries and should have ${tree.entries}`));
  }

  /** Marks the pages that are free. */
  markFree(marks: PageMarks, onDamage?: OnDamage): void {
    const report =
      onDamage ??
      ((damage: MdbDamage): never => {
        throw damage;
      });
    for (const { value } of this.entries(this.free, { marks, onDamage })) {
      try {
        for (const [page, count] of freeRuns(value())) this.#mark(page, count, marks);
      } catch (error) {
        if (!(error instanceof MdbDamage)) throw error;
        report(error);
      }
    }
  }

  /** The nodes of a leaf that no tree may reach any more; none when the page is of another kind. */
  strayNodes(number: number): readonly Entry[] {
    try {
      const page = this.#page(number);
      if (kindOf(page, number, this.#transaction) !== 'leaf') return [];
      return leafNodes(page, number).map((node) => ({ key: node.key, value: () => this.#valueOf(node) }));
    } catch (error) {
      if (error instanceof MdbDamage) return [];
      throw error;
    }
  }

  /**
   * Throws `MdbDamage` when the tree refers to pages that it must not. The order of keys, and values, are not checked.
   */
  check(tree: Tree, marks: PageMarks): void {
    const refer = (page: number, pages: number, bytes: number): void =>
      this.#markOverflow({ page, pages, bytes }, marks);
    for (const { page, number } of this.#leafPages(tree, marks, undefined, Buffer.allocUnsafe(this.#pageBytes)))
      checkLeaf(page, number, refer);
  }

  *#leaves(
    tree: Tree,
    { marks, report }: { readonly marks: PageMarks; readonly report: OnDamage },
  ): Generator<LeafNode> {
    for (const { page, number, low, high } of this.#leafPages(tree, marks, report)) {
      let nodes: readonly LeafNode[] = [];
      try {
        nodes = leafNodes(page, number);
        // Free pages are listed by numbers, whose bytes are in another order.
        if (tree !== this.free) assertWithin(nodes, { number, low, high });
        for (const { overflow } of nodes) if (overflow !== undefined) this.#markOverflow(overflow, marks);
      } catch (error) {
        if (!(error instanceof MdbDamage)) throw error;
        report(error);
      }
      yield* nodes;
    }
  }

  /** Without `report` the first damage is thrown. With `buffer` a page is valid only until the next is read. */
  *#leafPages(tree: Tree, marks: PageMarks, report?: OnDamage, buffer?: Buffer): Generator<LeafPage> {
    if (tree.root === noPage) return;
    // Pages to visit, the next one last.
    const open: Step[] = [{ number: tree.root, depth: tree.depth, low: undefined, high: undefined }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      try {
        this.#mark(next.number, 1, marks);
        const page = this.#page(next.number, next.depth === 1 ? buffer : undefined);
        if (
          next.depth < 1 ||
          next.depth > depthMax ||
          kindOf(page, next.number, this.#transaction) !== (next.depth === 1 ? 'leaf' : 'branch')
        )
          throw new MdbDamage(`page ${next.number} is of the wrong kind`);
        if (next.depth === 1) yield { ...next, page };
        else open.push(...stepsBelow(next, branchChildren(page, next.number)).toReversed());
      } catch (error) {
        if (!(error instanceof MdbDamage) || report === undefined) throw error;
        report(error);
      }
    }
  }

  #valueOf({ overflow, value }: LeafNode): Buffer {
    if (overflow === undefined) return value!;
    const { page, bytes } = overflow;
    if (!this.#holds(page, this.#pagesFor(bytes))) throw outside(page);
    const all = this.#read(page * this.#pageBytes, headerBytes + bytes);
    if (kindOf(all, page, this.#transaction) !== 'overflow') throw new MdbDamage(`page ${page} is of the wrong kind`);
    return all.subarray(headerBytes);
  }

  /** A value may have more pages than it needs, when it was longer before. */
  #markOverflow({ page, pages, bytes }: Overflow, marks: PageMarks): void {
    if (pages < this.#pagesFor(bytes)) throw new MdbDamage(`page ${page} is too short for its value`);
    this.#mark(page, pages, marks);
  }

  #pagesFor(valueBytes: number): number {
    return Math.ceil((headerBytes + valueBytes) / this.#pageBytes);
  }

  #holds(page: number, count: number): boolean {
    return page >= firstPage && page + count <= this.pageEnd;
  }

  #mark(page: number, count: number, marks: PageMarks): void {
    if (!this.#holds(page, count)) throw outside(page);
    for (let at = page; at < page + count; at++) if (marks[at]! > 0) throw new MdbDamage(`page ${at} is used twice`);
    marks.fill(1, page, page + count);
  }

  #page(number: number, buffer?: Buffer): Buffer {
    return this.#read(number * this.#pageBytes, this.#pageBytes, buffer);
  }

  #read(at: number, bytes: number, buffer: Buffer = Buffer.allocUnsafe(bytes)): Buffer {
    let done = 0;
    for (let read = -1; read !== 0 && done < bytes; done += read)
      read = readSync(this.#file, buffer, done, bytes - done, at + done);
    if (done < bytes) throw new MdbDamage('the file is cut');
    return buffer;
  }
}

/** A page to visit, with the bounds of its keys that its parents give. */
interface Step {
  readonly number: number;
  readonly depth: number;
  readonly low: Buffer | undefined;
  readonly high: Buffer | undefined;
}

interface LeafPage extends Step {
  readonly page: Buffer;
}

/** The first key of a branch is not significant. */
function stepsBelow(step: Step, children: readonly Child[]): Step[] {
  return children.map(({ page, key }, i) => ({
    number: page,
    depth: step.depth - 1,
    low: i === 0 ? step.low : key,
    high: children[i + 1]?.key ?? step.high,
  }));
}

function assertWithin(nodes: readonly LeafNode[], { number, low, high }: Omit<Step, 'depth'>): void {
  let last = low;
  for (const [i, { key }] of nodes.entries()) {
    const order = last === undefined ? 1 : Buffer.compare(key, last);
    if (order < 0 || (order === 0 && i > 0)) throw new MdbDamage(`the keys of page ${number} are out of order`);
    last = key;
  }
  if (last !== undefined && high !== undefined && nodes.length > 0 && Buffer.compare(last, high) >= 0)
    throw new MdbDamage(`the keys of page ${number} are out of order`);
}

function outside(page: number): MdbDamage {
  return new MdbDamage(`page ${page} is not in the file: it is cut or damaged`);
}

/**
 * Runs of pages in a list of free ones: a count, then page numbers; a negative number is the length of the run that
 * begins at the next; zeros are padding.
 */
function* freeRuns(list: Buffer): Generator<[page: number, count: number]> {
  const count = list.length >= 8 ? numberAt(list, 0) : Infinity;
  if (count > list.length / 8 - 1) throw new MdbDamage('a list of free pages is damaged');
  for (let i = 1; i <= count; i++) {
    const entry = Number(list.readBigInt64LE(i * 8));
    if (entry > 0) yield [entry, 1];
    else if (entry < 0 && i < count) yield [numberAt(list, ++i * 8), -entry];
  }
}
