import { builtInRegistry } from '../../api/built-in-registry.ts';
import type { Scheme } from '../../api/scheme.ts';
import { StorageCodec } from '../../registry/storage-codec.ts';
import { ByteBudget } from '../../storage/cacher/byte-budget.ts';
import { CachedObject } from '../../storage/cacher/cached-object.ts';
import { type PackedBytes, packBytes, unpackBytes } from './packed-bytes.ts';
import type { Accepted } from '../answers/negotiation.ts';
import { formFor } from './form-for.ts';

/** Stored objects of one resource, wanted as items of a form. Plain data, so that a worker can be asked. */
export interface ItemBatch {
  /** The version of the request, and a resource of the built-in scheme in it. */
  readonly groupVersion: string;
  readonly resource: string;
  readonly accepted: Accepted;
  /** As stored. */
  readonly values: PackedBytes;
  /** Of each value. */
  readonly revisions: Float64Array;
}

const scheme: Scheme = builtInRegistry();

/**
 * The bytes of each object as an item of the form, in the order given. Pure. Throws on values that are no objects of
 * the resource.
 */
export function encodeItems({ groupVersion, resource, accepted, values, revisions }: ItemBatch): PackedBytes {
  const target = scheme.forResource(groupVersion, resource);
  if (target === undefined) throw new Error(`no ${resource} in ${groupVersion}`);
  const { item } = formFor(target, accepted, null);
  const codec = new StorageCodec(scheme, target.definition);
  const budget = new ByteBudget(Infinity);
  return packBytes(
    unpackBytes(values).map((value, i) =>
      item.encode(new CachedObject('', '', '', revisions[i]!, value, codec, budget)),
    ),
  );
}
