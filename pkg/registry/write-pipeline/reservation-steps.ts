import { failureStatus, StatusError } from '../../apimachinery/errors/status-error.ts';
import { nameNew } from './object-steps.ts';
import type { WriteAttempt } from './write-attempt.ts';

/**
 * Reserves resources outside of the object for it. Not for subresources: a client's body may differ there from the
 * object in parts that are ignored.
 */
export async function reserve(attempt: WriteAttempt): Promise<void> {
  const { store, intent, write } = attempt;
  if (intent.operation === 'DELETE') return;
  if (intent.operation === 'CREATE') nameNew(attempt);
  else if (write.subresource !== '') return;
  attempt.reservation = await store.hooks.reserve?.(attempt.object!, attempt.old, attempt.dryRun);
}

/** Throws where a reservation was released meanwhile. */
export function confirm({ reservation, givenVersion, dryRun }: WriteAttempt): Promise<void> | void {
  if (givenVersion > 0 && !dryRun) throw versionOnCreate();
  return reservation?.confirm?.();
}

/** Updates what depends on the object. The write has happened, even if this fails. */
export function after({ store, outcome, object, old, dryRun }: WriteAttempt): Promise<void> | void {
  if (dryRun || store.hooks.after === undefined) return undefined;
  const { removed, object: last } = outcome!;
  return removed ? store.hooks.after(undefined, last.object()) : store.hooks.after(object, old);
}

/**
 * A stock server finds this only when it is about to store the object, and answers without a reason; it ignores
 * anything but a number.
 */
function versionOnCreate(): Error {
  return new StatusError(failureStatus(500, '', 'resourceVersion should not be set on objects to be created'));
}
