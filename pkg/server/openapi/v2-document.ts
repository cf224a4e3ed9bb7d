import { compare, type ServedResource } from '../documents/served-resources.ts';
import { unpackBytes } from '../representation/packed-bytes.ts';
import { jsonDocument, jsonObject } from './document-parts.ts';
import { v2Security } from './v2.ts';
import type { EncodedMembers, V2Build, V2Group, V2Parts } from './v2-parts.ts';
import { v2DocumentPieces } from './v2-protobuf.ts';

export interface V2DocumentOptions {
  readonly info: { readonly title: string; readonly version: string };
  readonly format: V2Build['format'];
  /** Runs a build on a thread, where it delays no requests. */
  readonly build: (build: V2Build) => Promise<V2Parts>;
}

/**
 * The document of OpenAPI v2, which is one for all groups. It is kept as encoded paths and definitions: after a change
 * only the groups concerned are built. The members are views into the newest document, which costs no memory of its
 * own.
 */
export class V2Document {
  private readonly options: V2DocumentOptions;
  private readonly paths = new Map<string, Uint8Array>();
  private readonly definitions = new Map<string, Uint8Array>();
  private readonly groups = new Map<string, V2Group>();
  /** Groups that have changed since they were built; undefined while nothing is built. */
  private changed: Set<string> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(options: V2DocumentOptions) {
    this.options = options;
  }

  /** What is served in these groups has changed. */
  change(groups: Iterable<string>): void {
    for (const group of groups) this.changed?.add(group);
  }

  /** The document about these resources; one build at a time. */
  bytes(resources: () => readonly ServedResource[]): Promise<Uint8Array> {
    const bytes = this.last.then(() => this.build(resources()));
    // The caller gets the failure; the next build does not depend on this one.
    this.last = bytes.catch(() => undefined);
    return bytes;
  }

  private async build(resources: readonly ServedResource[]): Promise<Uint8Array> {
    const { changed } = this;
    const groups = changed ?? new Set(['', ...resources.map(({ group }) => group)]);
    this.changed = new Set();
    try {
      if (groups.size > 0)
        this.take(await this.options.build({ resources, format: this.options.format, groups: [...groups] }));
    } catch (error) {
      if (changed === undefined) this.changed = undefined;
      else this.change(changed);
      throw error;
    }
    return this.join();
  }

  private take(parts: V2Parts): void {
    for (const part of parts.groups) {
      for (const path of this.groups.get(part.group)?.paths ?? []) this.paths.delete(path);
      if (part.paths.length === 0) this.groups.delete(part.group);
      else this.groups.set(part.group, part);
    }
    takeMembers(parts.paths, this.paths);
    takeMembers(parts.definitions, this.definitions);
    const used = new Set([...this.groups.values()].flatMap(({ definitions }) => definitions));
    for (const name of this.definitions.keys()) if (!used.has(name)) this.definitions.delete(name);
  }

  private join(): Uint8Array {
    const { info, format } = this.options;
    const head = { swagger: '2.0', info } as const;
    const [paths, definitions] = [sorted(this.paths), sorted(this.definitions)];
    const texts = [['paths', jsonObject(paths)] as const, ['definitions', jsonObject(definitions)] as const];
    const pieces =
      format === 'json' ? jsonDocument(head, texts, v2Security) : v2DocumentPieces(head, paths, definitions);
    const document = Buffer.concat(pieces);
    const places = new Map<Uint8Array, Uint8Array>();
    let at = 0;
    for (const piece of pieces) places.set(piece, document.subarray(at, (at += piece.length)));
    for (const members of [this.paths, this.definitions])
      for (const [name, bytes] of members) members.set(name, places.get(bytes)!);
    return document;
  }
}

function takeMembers({ names, bytes }: EncodedMembers, members: Map<string, Uint8Array>): void {
  const list = unpackBytes(bytes);
  for (const [i, name] of names.entries()) members.set(name, list[i]!);
}

function sorted(members: ReadonlyMap<string, Uint8Array>): Uint8Array[] {
  return [...members].sort(([a], [b]) => compare(a, b)).map(([, bytes]) => bytes);
}
