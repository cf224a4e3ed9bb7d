import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { EndpointPort, EndpointSlice } from '../../generated/types/discovery-v1.ts';
import { byText } from './order.ts';
import { withTriggerTime } from './trigger-times.ts';

export const SERVICE_NAME = 'kubernetes.io/service-name';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const HEADLESS = 'service.kubernetes.io/headless';

/** What is to be done to the slices of one service. */
export interface SliceChanges {
  readonly create: EndpointSlice[];
  readonly update: EndpointSlice[];
  readonly remove: EndpointSlice[];
}

/** Writes of slices; `create` takes a slice without a name. */
export interface SliceWrites {
  readonly create: (slice: EndpointSlice) => Promise<unknown>;
  readonly update: (slice: EndpointSlice) => Promise<unknown>;
  readonly remove: (slice: EndpointSlice) => Promise<unknown>;
}

export function noChanges(): SliceChanges {
  return { create: [], update: [], remove: [] };
}

export function addChanges(to: SliceChanges, from: SliceChanges): void {
  to.create.push(...from.create);
  to.update.push(...from.update);
  to.remove.push(...from.remove);
}

/** Ports as a key: equal for the same ports in any order. */
export function portsKey(ports: readonly EndpointPort[] | null): string {
  const texts = (ports ?? []).map(({ name = '', port = 0, protocol = 'TCP', appProtocol = '' }) =>
    JSON.stringify([name, port, protocol, appProtocol]),
  );
  return texts.sort(byText).join();
}

export function isOwned({ metadata }: EndpointSlice, owner: ApiObject): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true;
}

/** A slice that is to be deleted becomes one that is to be created, where its owner and type of address allow it. */
export function reuseRemoved({ create, update, remove }: SliceChanges, owner: ApiObject): SliceChanges {
  const [created, updated, removed] = [[...create], [...update], [] as EndpointSlice[]];
  for (const old of remove) {
    const place = created.findLastIndex(({ addressType }) => addressType === old.addressType);
    if (place < 0 || !isOwned(old, owner)) {
      removed.push(old);
      continue;
    }
    const [made] = created.splice(place, 1) as [EndpointSlice];
    const { labels, annotations } = made.metadata;
    updated.push({ ...made, metadata: { ...old.metadata, labels, annotations: annotations ?? {} } });
  }
  return { create: created, update: updated, remove: removed };
}

export interface WriteOptions {
  /** Whose slices they are, for messages: `Service ns/name`. */
  readonly subject: string;
  /** Time of the change that the writes answer to. */
  readonly time?: string | undefined;
}

/** Does it: creates only while the owner stays. Rejects with the first failure when all was tried. */
export async function writeChanges(
  { create, update, remove }: SliceChanges,
  owner: ApiObject,
  writes: SliceWrites,
  { subject, time }: WriteOptions,
): Promise<void> {
  const timed = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    metadata: { ...slice.metadata, annotations: withTriggerTime(slice.metadata.annotations, time) },
  });
  const creates = owner.metadata.deletionTimestamp === undefined ? create : [];
  const results = await Promise.allSettled([
    ...creates.map((slice) => explained(`failed to create EndpointSlice for ${subject}`, writes.create(timed(slice)))),
    ...update.map((slice) =>
      explained(`failed to update ${slice.metadata.name} EndpointSlice for ${subject}`, writes.update(timed(slice))),
    ),
    ...remove.map((slice) =>
      explained(`failed to delete ${slice.metadata.name} EndpointSlice for ${subject}`, writes.remove(slice)),
    ),
  ]);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}

/** A write that failed, in the words of stock controllers; the cause is what the server answered. */
class SliceWriteError extends Error {
  constructor(what: string, cause: unknown) {
    super(`${what}: ${(cause as Error).message}`, { cause });
    this.name = 'SliceWriteError';
  }
}

/** What the server answered, where that is known: whether a failure is a conflict is decided by it. */
export function answerOf(error: unknown): unknown {
  return error instanceof SliceWriteError ? error.cause : error;
}

async function explained(what: string, done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    throw new SliceWriteError(what, error);
  }
}

export function groupSlices(
  slices: readonly EndpointSlice[],
  keyOf: (slice: EndpointSlice) => string,
): ReadonlyMap<string, EndpointSlice[]> {
  const groups = new Map<string, EndpointSlice[]>();
  for (const slice of slices) {
    const key = keyOf(slice);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [slice]);
    else group.push(slice);
  }
  return groups;
}
