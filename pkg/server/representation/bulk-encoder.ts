import type { AnyResource } from '../../api/resource-definition.ts';
import type { VersionedResource } from '../../api/scheme.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import { packBytes, unpackBytes } from './packed-bytes.ts';
import type { WorkerPools } from '../worker-pools.ts';
import type { Accepted } from '../answers/negotiation.ts';
import { type KindText, kindText } from './kind-text.ts';
import type { ObjectForm } from './object-form.ts';

/** The bytes of objects as items of one form. */
export type EncodedItems = ReadonlyMap<CachedObject, Uint8Array>;

/** Stored bytes sent to a thread at a time: some milliseconds of work, so that others get their turn. */
const BATCH_BYTES = 256 * 1024;
/** Batches of one list that wait or are worked on: enough to keep every thread busy while answers come back. */
const LANES = 4;

const nothing: EncodedItems = new Map();

/**
 * Encodes objects of large lists on threads that were not encoded in that form yet, as after a start. The main loop
 * copies stored bytes out and encoded bytes in, and decodes nothing. Lists with the same objects at the same time share
 * the work.
 */
export class BulkEncoder {
  private readonly pools: Pick<WorkerPools, 'encodeItems' | 'thresholds'>;
  /** Batches in flight by form and object. */
  private readonly inFlight = new Map<string, Map<CachedObject, Promise<EncodedItems>>>();
  /** Null: threads cannot know the resource. */
  private readonly kinds = new WeakMap<AnyResource, KindText | null>();

  constructor(pools: Pick<WorkerPools, 'encodeItems' | 'thresholds'>) {
    this.pools = pools;
  }

  /**
   * Items of the objects that had to be encoded, also kept with them; empty when there is too little work for threads.
   * Rows of tables are left out: they are made again for each answer, cheaply from objects that stay decoded.
   */
  async encode(
    objects: readonly CachedObject[],
    target: VersionedResource,
    { accepted, form }: { accepted: Accepted; form: ObjectForm },
  ): Promise<EncodedItems> {
    const { key, cacheable } = form.item;
    const kind = this.kindOf(target);
    if (!cacheable || kind === null) return nothing;
    const cold = objects.filter((object) => !object.hasForm(key));
    if (cold.reduce((sum, object) => sum + object.value.length, 0) < this.pools.thresholds.encodeThreadBytes)
      return nothing;
    const encoded = new Map<CachedObject, Uint8Array>();
    const batches = cutIntoBatches(cold);
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let batch = batches[next++]; batch !== undefined; batch = batches[next++])
        await this.encodeBatch(batch, { target, kind, accepted, key }, encoded);
    };
    await Promise.all(Array.from({ length: Math.min(LANES, batches.length) }, lane));
    return encoded;
  }

  /**
   * What threads must be given to know the resource: nothing for those that are compiled in, whose objects options do
   * not change; null where they cannot know it.
   */
  private kindOf({ definition, version }: VersionedResource): KindText | null | undefined {
    if (version.schema === undefined) return undefined;
    let kind = this.kinds.get(definition);
    if (kind === undefined) this.kinds.set(definition, (kind = kindText(definition) ?? null));
    return kind;
  }

  /** Adds the batch's items to `encoded`; those of another list's batches when they are ready. */
  private async encodeBatch(
    batch: readonly CachedObject[],
    wanted: WantedItems,
    encoded: Map<CachedObject, Uint8Array>,
  ): Promise<void> {
    const { key } = wanted;
    let shared = this.inFlight.get(key);
    if (shared === undefined) this.inFlight.set(key, (shared = new Map()));
    const own = batch.filter((object) => !object.hasForm(key) && !shared.has(object));
    const awaited = new Map(batch.flatMap((object) => (shared.has(object) ? [[object, shared.get(object)!]] : [])));
    if (own.length > 0) {
      const work = this.onThread(own, wanted);
      for (const object of own) shared.set(object, work);
      try {
        for (const [object, bytes] of await work) encoded.set(object, bytes);
      } finally {
        for (const object of own) shared.delete(object);
        if (shared.size === 0 && this.inFlight.get(key) === shared) this.inFlight.delete(key);
      }
    }
    for (const [object, work] of awaited) encoded.set(object, (await work).get(object)!);
  }

  private async onThread(
    objects: readonly CachedObject[],
    { target, kind, accepted, key }: WantedItems,
  ): Promise<EncodedItems> {
    const packed = await this.pools.encodeItems({
      groupVersion: target.groupVersion,
      resource: target.definition.resource,
      ...(kind === undefined ? {} : { kind }),
      accepted,
      values: packBytes(objects.map((object) => object.value)),
      revisions: Float64Array.from(objects, (object) => object.revision),
    });
    const items = unpackBytes(packed);
    for (const [i, object] of objects.entries()) object.keep(key, items[i]!);
    return new Map(objects.map((object, i) => [object, items[i]!]));
  }
}

/** What the objects of a list are to become. */
interface WantedItems {
  readonly target: VersionedResource;
  /** Absent for what is compiled in. */
  readonly kind: KindText | undefined;
  readonly accepted: Accepted;
  /** Of the form. */
  readonly key: string;
}

function cutIntoBatches(objects: readonly CachedObject[]): CachedObject[][] {
  const batches: CachedObject[][] = [];
  let bytes = BATCH_BYTES;
  for (const object of objects) {
    if (bytes >= BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(object);
    bytes += object.value.length;
  }
  return batches;
}
