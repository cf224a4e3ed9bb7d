/**
 * Decides a swap whose answer was lost by the current content of the store. To send it again blindly would be wrong:
 * when the first copy succeeded, the second reports a conflict with it.
 */
import { StoreUnavailableError } from '../store-errors.ts';
import type { EtcdCallError } from './etcd-call-error.ts';
import type { EtcdKeyValue, RangeAnswer, RangeCall, SwapAnswer, SwapCall } from './transport.ts';

export interface LostSwap {
  /** Expects a revision, not a version. */
  readonly call: SwapCall;
  /** A revision that the store had reached before the swap was sent; 0 when none is known. */
  readonly sentAfter: number;
  readonly cause: EtcdCallError;
}

type ReadRange = (call: RangeCall) => Promise<RangeAnswer>;

/**
 * Resolves as the swap would have, or with undefined when the key is unchanged: the swap did not happen, but still may.
 * Throws `StoreUnavailableError` with `ambiguous` when the store does not answer either.
 */
export async function settleSwap(lost: LostSwap, read: ReadRange): Promise<SwapAnswer | undefined> {
  const { call, cause } = lost;
  try {
    const now = await read({ key: call.key });
    const current = now.items[0];
    if ((current?.modRevision ?? 0) === call.compare.value) return undefined;
    const revision =
      current !== undefined && call.compare.value === 0
        ? await findCreation(call, current, read)
        : await findReplacement(lost, now.revision, read);
    const header = { clusterId: now.clusterId, revision: revision ?? now.revision };
    return revision === undefined
      ? { ...header, succeeded: false, current }
      : { ...header, succeeded: true, current: undefined };
  } catch (error) {
    throw error instanceof StoreUnavailableError && error.ambiguous
      ? error
      : unknownOutcome('the store could not be asked', cause);
  }
}

/** The error for a write whose result is unknown. */
export function unknownOutcome(why: string, cause: EtcdCallError): StoreUnavailableError {
  return new StoreUnavailableError(`etcd: the outcome of a write is unknown (${cause.message}): ${why}`, {
    ambiguous: true,
    cause,
  });
}

/** The revision at which the existing key was created, if that was with the value of this swap. */
async function findCreation(call: SwapCall, current: EtcdKeyValue, read: ReadRange): Promise<number | undefined> {
  const created = (await read({ key: call.key, revision: current.createRevision })).items[0];
  return created !== undefined && isWrittenBy(call, created) ? created.modRevision : undefined;
}

/**
 * The revision of the write that replaced the version that the swap expected, if it had the effect of the swap. That
 * version was current up to that write and never again, so a binary search finds it, after any later writes of the key.
 */
async function findReplacement(
  { call, sentAfter }: LostSwap,
  now: number,
  read: ReadRange,
): Promise<number | undefined> {
  const at = async (revision: number) => (await read({ key: call.key, revision })).items[0];
  const isExpected = (found: EtcdKeyValue | undefined) => found?.modRevision === call.compare.value;
  if (call.compare.value > now) return undefined;
  // The expected revision itself, when no other is known: the key had that version then.
  let before = Math.max(sentAfter, call.compare.value);
  // Deleted before the swap was sent, or never there.
  if (!isExpected(await at(before))) return undefined;
  let after = now;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isExpected(await at(middle))) before = middle;
    else after = middle;
  }
  return isWrittenBy(call, await at(after)) ? after : undefined;
}

function isWrittenBy(call: SwapCall, found: EtcdKeyValue | undefined): boolean {
  return call.value === undefined ? found === undefined : (found?.value.equals(call.value) ?? false);
}
