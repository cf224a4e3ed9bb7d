import { builtInRegistry } from '../../api/built-in-registry.ts';
import { Scheme, type VersionedResource } from '../../api/scheme.ts';
import { StorageCodec } from '../../registry/storage-codec.ts';
import { ByteBudget } from '../../storage/cacher/byte-budget.ts';
import { CachedObject } from '../../storage/cacher/cached-object.ts';
import { type PackedBytes, packBytes, unpackBytes } from './packed-bytes.ts';
import type { Accepted } from '../answers/negotiation.ts';
import { formFor } from './form-for.ts';
import { type KindText, kindOfText } from './kind-text.ts';

/** Stored objects of one resource, wanted as items of a form. Plain data, so that a worker can be asked. */
export interface ItemBatch {
  /** The version of the request, and a resource in it. */
  readonly groupVersion: string;
  readonly resource: string;
  /** Of a resource that is not compiled in. */
  readonly kind?: KindText;
  readonly accepted: Accepted;
  /** As stored. */
  readonly values: PackedBytes;
  /** Of each value. */
  readonly revisions: Float64Array;
}

/** Threads fill a registry of their own: what they are asked to write does not depend on options. */
const builtIn: Scheme = builtInRegistry();
const DATA_KINDS_MAX = 64;
// Process-wide: a scheme depends on the text of its kind alone, which the id stands for.
const schemesById = new Map<string, Scheme>();

/**
 * The bytes of each object as an item of the form, in the order given. Pure. Throws on values that are no objects of
 * the resource.
 */
export function encodeItems(batch: ItemBatch): PackedBytes {
  const { accepted, values, revisions } = batch;
  const { scheme, target } = targetOf(batch);
  const { item } = formFor(target, accepted, null);
  const codec = new StorageCodec(scheme, target.definition);
  const budget = new ByteBudget(Infinity);
  return packBytes(
    unpackBytes(values).map((value, i) =>
      item.encode(new CachedObject('', '', '', revisions[i]!, value, codec, budget)),
    ),
  );
}

function targetOf({ groupVersion, resource, kind }: ItemBatch): { scheme: Scheme; target: VersionedResource } {
  const scheme = kind === undefined ? builtIn : schemeOf(kind);
  const target = scheme.forResource(groupVersion, resource);
  if (target === undefined) throw new Error(`no ${resource} in ${groupVersion}`);
  return { scheme, target };
}

function schemeOf(kind: KindText): Scheme {
  let scheme = schemesById.get(kind.id);
  if (scheme === undefined) {
    if (schemesById.size >= DATA_KINDS_MAX) schemesById.clear();
    schemesById.set(kind.id, (scheme = new Scheme([kindOfText(kind)])));
  }
  return scheme;
}
