import { failureStatus, StatusError } from '../../apimachinery/errors/status-error.ts';
import { nameNew } from './object-steps.ts';
import type { WriteAttempt } from './write-attempt.ts';

/**
 * Takes what the object needs outside of itself. Not for subresources: what a client sends there may differ from the
 * object in parts that will not be taken over.
 */
export async function reserve(attempt: WriteAttempt): Promise<void> {
  const { store, intent, write } = attempt;
  if (intent.operation === 'DELETE') return;
  if (intent.operation === 'CREATE') nameNew(attempt);
  else if (write.subresource !== '') return;
  attempt.reservation = await store.hooks.reserve?.(attempt.object!, attempt.old, attempt.dryRun);
}

/** Throws where what was taken may be somebody else's by now. */
export function confirm({ reservation, givenVersion, dryRun }: WriteAttempt): Promise<void> | void {
  if (givenVersion > 0 && !dryRun) throw versionOnCreate();
  return reservation?.confirm?.();
}

/** What hangs on the object follows. The write has happened, whatever comes of it. */
export function after({ store, outcome, object, old, dryRun }: WriteAttempt): Promise<void> | void {
  if (dryRun || store.hooks.after === undefined) return undefined;
  const { removed, object: last } = outcome!;
  return removed ? store.hooks.after(undefined, last.object()) : store.hooks.after(object, old);
}

/**
 * A stock server finds this only when it is about to store the object, and says it without a reason; what is no number
 * it ignores.
 */
function versionOnCreate(): Error {
  return new StatusError(failureStatus(500, '', 'resourceVersion should not be set on objects to be created'));
}
