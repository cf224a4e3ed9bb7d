import { TimeSlice } from '../../apimachinery/time-slice.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { ListChunk } from '../../storage/cacher/list-objects.ts';
import { respondParts } from '../answers/respond.ts';
import { SLAB_BYTES } from '../answers/slabs.ts';
import type { FromStored, ItemRepresentation, ListFraming, ListMeta } from '../representation/object-form.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { ServerParts } from '../resource-endpoint.ts';
import type { Negotiated } from './answer-object.ts';
import { auditList } from './audit-answer.ts';

/** Stored bytes from which an item is kept, for all who wait for the rest of it. */
const KEPT_BYTES_MIN = SLAB_BYTES / 4;
/** Objects looked at before the clock is. */
const OBJECTS_PER_LOOK = 16;

/**
 * How the items of a list are written while it is sent; undefined where they are put together before. A list is sent
 * that way where it is large and most of it was not asked for before, as after a start: kept items would push others
 * out of the caches for something that is asked for once, and be memory until the slowest client has them.
 */
export function fromStoredFor(
  { objects }: ListChunk,
  { accepted, form }: Negotiated,
  parts: ServerParts,
): FromStored | undefined {
  const { key, fromStored } = form.item;
  // What is rendered from JSON needs all of it.
  if (fromStored === undefined || accepted.media === 'yaml' || accepted.pretty) return undefined;
  const bytesMin = Math.max(parts.pools.thresholds.encodeThreadBytes, 1);
  let bytes = 0;
  for (const object of objects) {
    if (!object.hasForm(key)) bytes += object.value.length;
    if (bytes >= bytesMin) return fromStored;
  }
  return undefined;
}

/**
 * Answers with a list, each item written from stored bytes when its turn to be sent comes. Other items are encoded
 * before, so that an unreadable object is an error and not a broken answer.
 */
export async function answerFromStored(
  context: RequestContext,
  chunk: ListChunk,
  meta: ListMeta,
  negotiated: Negotiated,
  parts: ServerParts,
  fromStored: FromStored,
): Promise<void> {
  const { form } = negotiated;
  const { objects } = chunk;
  const items = await itemsNotServed(objects, negotiated, parts, fromStored);
  const framing = form.list(meta);
  const itemsBytes = await bytesOf(objects, items, framing, fromStored);
  if (context.closed) return;
  await auditList(context, chunk, meta, undefined, negotiated);
  const head = framing.head(itemsBytes ?? 0);
  const itemOf = (object: CachedObject): Uint8Array => items.get(object) ?? writeItem(object, form.item, fromStored);
  const body = bodyOf(objects, framing, head, itemOf);
  const total = itemsBytes === undefined ? undefined : head.length + itemsBytes + framing.tail.length;
  await respondParts(context, 200, form.contentType, body, total, parts.compressResponses);
}

/** Items that are kept, and those that are no use of stored bytes: encoded on threads where they are many. */
async function itemsNotServed(
  objects: readonly CachedObject[],
  negotiated: Negotiated,
  parts: ServerParts,
  fromStored: FromStored,
): Promise<ReadonlyMap<CachedObject, Uint8Array>> {
  const { item } = negotiated.form;
  const items = new Map<CachedObject, Uint8Array>();
  const missing: CachedObject[] = [];
  const slice = new TimeSlice();
  for (const [i, object] of objects.entries()) {
    const kept = object.form(item.key);
    if (kept !== undefined) items.set(object, kept);
    else if (!fromStored.serves(object)) missing.push(object);
    if (i % OBJECTS_PER_LOOK === 0 && slice.over) await slice.next();
  }
  for (const [object, bytes] of await parts.bulk.encode(missing, negotiated.target, negotiated))
    items.set(object, bytes);
  for (const object of missing) {
    if (!items.has(object)) items.set(object, object.bytes(item));
    if (slice.over) await slice.next();
  }
  return items;
}

/** Length of all items with what stands between them; undefined where it is not known before they are written. */
async function bytesOf(
  objects: readonly CachedObject[],
  items: ReadonlyMap<CachedObject, Uint8Array>,
  framing: ListFraming,
  { length }: FromStored,
): Promise<number | undefined> {
  if (length === undefined) return undefined;
  let bytes = framing.separator.length * Math.max(objects.length - 1, 0);
  const slice = new TimeSlice();
  for (const [i, object] of objects.entries()) {
    const itemBytes = items.get(object)?.length ?? length(object);
    bytes += itemBytes + (framing.itemPrefix?.(itemBytes).length ?? 0);
    if (i % OBJECTS_PER_LOOK === 0 && slice.over) await slice.next();
  }
  return bytes;
}

/** Valid until the next item is written where it is smaller than a slab. */
function writeItem(object: CachedObject, item: ItemRepresentation, fromStored: FromStored): Uint8Array {
  if (object.value.length >= KEPT_BYTES_MIN) return object.bytes(item);
  const bytes = fromStored.write(object);
  return bytes.length < SLAB_BYTES ? bytes : Uint8Array.prototype.slice.call(bytes);
}

/** Each piece is used up before the next is asked for. */
function* bodyOf(
  objects: readonly CachedObject[],
  framing: ListFraming,
  head: Uint8Array,
  itemOf: (object: CachedObject) => Uint8Array,
): Generator<Uint8Array> {
  yield head;
  for (const [i, object] of objects.entries()) {
    if (i > 0 && framing.separator.length > 0) yield framing.separator;
    const item = itemOf(object);
    if (framing.itemPrefix !== undefined) yield framing.itemPrefix(item.length);
    yield item;
  }
  yield framing.tail;
}
