import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Conflict } from '../resource-store.ts';
import type { WriteAttempt, WriteOutcome } from './write-attempt.ts';

/**
 * Makes the bytes to store, and ends the attempt where they are stored already. The one place that defines a change.
 */
export function compare(attempt: WriteAttempt): Promise<WriteOutcome | Conflict> | undefined {
  const { store, intent, object, current } = attempt;
  if (intent.operation === 'UPDATE' && isReleased(attempt, object!)) attempt.removal = 'now';
  if (attempt.removal === 'now') return undefined;
  attempt.value = store.codec.encode(object!);
  if (current === undefined || attempt.removal !== 'none') return undefined;
  return isUnchanged(attempt) ? attempt.unchanged() : undefined;
}

function isUnchanged({ store, intent, current, value, dryRun }: WriteAttempt): boolean {
  const { key, revision, value: stored } = current!;
  if (Buffer.compare(value!, stored) !== 0) return false;
  // A value under an old encryption key is written again: so keys are rotated. Deletes do not do that.
  return intent.operation === 'DELETE' || dryRun || store.backend.isStale?.(key, revision) !== true;
}

/** The last finalizer of an object that is being deleted is removed, and nothing else of its kind keeps it. */
function isReleased({ store }: WriteAttempt, object: ApiObject): boolean {
  const meta = object.metadata;
  if (meta.deletionTimestamp === undefined || (meta.finalizers?.length ?? 0) > 0) return false;
  const isHeld = store.definition.isHeld?.(object) ?? (meta.deletionGracePeriodSeconds ?? 0) !== 0;
  return !isHeld;
}
