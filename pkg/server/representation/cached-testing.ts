import { allResources } from '../../api/all-resources.ts';
import { Scheme, type VersionedResource } from '../../api/scheme.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { StorageCodec } from '../../registry/storage-codec.ts';
import { ByteBudget } from '../../storage/cacher/byte-budget.ts';
import { CachedObject } from '../../storage/cacher/cached-object.ts';
import { joinPieces, pieceBytes } from '../answers/piece.ts';
import { noBytes, type ListMeta, type ObjectForm } from './object-form.ts';

/** For tests: objects as the cacher holds them, and lists put together as the list handler does. */

const scheme = new Scheme(allResources);

export function resourceAt(groupVersion: string, resource: string): VersionedResource {
  const found = scheme.forResource(groupVersion, resource);
  if (found === undefined) throw new Error(`no ${resource} in ${groupVersion}`);
  return found;
}

/** A hub object as stored and cached at a revision. */
export function cached(target: VersionedResource, object: object, revision: number): CachedObject {
  const isBuiltIn = scheme.at(target.definition, target.groupVersion) !== undefined;
  const codec = new StorageCodec(isBuiltIn ? scheme : new Scheme([target.definition]), target.definition);
  const hub = { kind: target.definition.kind, apiVersion: target.definition.hub, ...object } as ApiObject;
  const { namespace = '', name = '' } = hub.metadata;
  return new CachedObject(
    `${target.definition.storagePath}/${namespace}/${name}`,
    namespace,
    name,
    revision,
    codec.encode(hub),
    codec,
    new ByteBudget(1e6),
  );
}

export function listBytes(form: ObjectForm, meta: ListMeta, objects: readonly CachedObject[]): Buffer {
  const framing = form.list(meta);
  if (objects.length === 0 && framing.empty !== undefined) return Buffer.from(framing.empty);
  const items = Buffer.concat(
    objects.flatMap((object, i) => {
      const pieces = form.pieces?.(object) ?? [object.bytes(form.item)];
      const item = joinPieces(
        pieces,
        pieces.reduce((sum, piece) => sum + pieceBytes(piece), 0),
      );
      return [i > 0 ? framing.separator : noBytes, framing.itemPrefix?.(item.length) ?? noBytes, item];
    }),
  );
  return Buffer.concat([framing.head(items.length), items, framing.tail]);
}
