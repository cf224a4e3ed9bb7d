/**
 * Decides a swap whose answer was lost by what is in the store now. To send it again blindly would be wrong: when the first copy did its
 * work, the second reports a conflict with it.
 */
import { StoreUnavailableError } from '../store-errors.ts';
import type { EtcdCallError } from './etcd-call-error.ts';
import type { EtcdKeyValue, RangeAnswer, RangeCall, SwapAnswer, SwapCall } from './transport.ts';

/** How many later writes of others it looks behind. */
const stepsMax = 8;

type ReadRange = (call: RangeCall) => Promise<RangeAnswer>;

/**
 * Resolves as the swap would have, or with undefined when the key is as it was: the swap did not happen, but still may. Throws
 * `StoreUnavailableError` with `ambiguous` when the store cannot tell.
 */
export async function settleSwap(call: SwapCall, cause: EtcdCallError, read: ReadRange): Promise<SwapAnswer | undefined> {
  const now = await readOrGiveUp(call, cause, read, undefined);
  const current = now.items[0];
  if (matches(call, current)) return undefined;
  if (current === undefined) {
    // Deleted, by this swap or by another with the same wish. The exact revision is lost; the store's own is not below it.
    if (call.value === undefined) return { revision: now.revision, clusterId: now.clusterId, succeeded: true, current: undefined };
    throw unknownOutcome('the key was deleted since, so it does not tell', cause);
  }
  const conflict = { revision: now.revision, clusterId: now.clusterId, succeeded: false, current };
  if (isOlder(call, current)) return conflict;
  const first = await firstWriteAfter(call, current, cause, read);
  const wasRecreated = call.compare.value !== 0 && first.createRevision === first.modRevision;
  if (wasRecreated && call.value !== undefined) throw unknownOutcome('the key was deleted and created again since', cause);
  const isOurs = call.value === undefined ? wasRecreated : first.value.equals(call.value);
  if (isOurs) return { revision: first.modRevision, clusterId: now.clusterId, succeeded: true, current: undefined };
  return conflict;
}

/** The oldest write that can be told to come after what the swap expected: goes back from the newest, up to a creation. */
async function firstWriteAfter(call: SwapCall, newest: EtcdKeyValue, cause: EtcdCallError, read: ReadRange): Promise<EtcdKeyValue> {
  let found = newest;
  for (let step = 0; step < stepsMax; step++) {
    if (found.createRevision === found.modRevision) return found;
    const before = (await readOrGiveUp(call, cause, read, found.modRevision - 1)).items[0];
    if (before === undefined || matches(call, before) || isOlder(call, before)) return found;
    found = before;
  }
  throw unknownOutcome('the key changed too often since', cause);
}

function matches({ compare }: SwapCall, found: EtcdKeyValue | undefined): boolean {
  return (found?.[compare.target] ?? 0) === compare.value;
}

/** True for a version that was there before the one the swap expects. Only revisions tell: versions start again with each creation. */
function isOlder({ compare }: SwapCall, found: EtcdKeyValue): boolean {
  return compare.target === 'modRevision' && found.modRevision < compare.value;
}

async function readOrGiveUp(call: SwapCall, cause: EtcdCallError, read: ReadRange, revision: number | undefined): Promise<RangeAnswer> {
  try {
    return await read({ key: call.key, revision });
  } catch {
    throw unknownOutcome('the store could not be asked', cause);
  }
}

/** The error for a write of which nobody can say whether it happened. */
export function unknownOutcome(why: string, cause: EtcdCallError): StoreUnavailableError {
  return new StoreUnavailableError(`etcd: the outcome of a write is unknown (${cause.message}): ${why}`, { ambiguous: true, cause });
}
