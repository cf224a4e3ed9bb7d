import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import { StoreUnavailableError } from '../../storage/store-errors.ts';
import type { Conflict, ResourceStore } from '../resource-store.ts';
import type { WriteRequest } from '../write-request.ts';
import { mutatingAdmission, validatingAdmission } from './admission-steps.ts';
import { commit } from './commit.ts';
import { compare } from './compare.ts';
import { prepare, validate, warn } from './object-steps.ts';
import { keepAdmittedOwnersOnce, keepSentOwnersOnce } from './owner-references.ts';
import { after, confirm, reserve } from './reservation-steps.ts';
import { WriteAttempt, type StepResult, type WriteIntent, type WriteOutcome } from './write-attempt.ts';

/** One step of every write. Throws StatusError to refuse; an answer ends the attempt. */
interface WriteStep {
  readonly name: string;
  run(attempt: WriteAttempt): Promise<StepResult> | StepResult;
}

/**
 * The steps of every write, in the order in which they run. docs/decisions/0019-write-pipeline.md says what each may
 * change and what is undone.
 */
export const writeSteps: readonly WriteStep[] = [
  { name: 'transform', run: (attempt) => attempt.intent.transform(attempt) },
  { name: 'sent-owners', run: keepSentOwnersOnce },
  { name: 'mutating-admission', run: mutatingAdmission },
  { name: 'admitted-owners', run: keepAdmittedOwnersOnce },
  // The place of server-side apply: records field managers, mutating plugins included.
  { name: 'managed-fields', run: () => undefined },
  { name: 'preconditions', run: (attempt) => attempt.intent.checkPreconditions?.(attempt) },
  { name: 'reserve', run: reserve },
  { name: 'prepare', run: prepare },
  { name: 'validate', run: validate },
  { name: 'warn', run: warn },
  { name: 'validating-admission', run: validatingAdmission },
  { name: 'compare', run: compare },
  { name: 'confirm', run: confirm },
  { name: 'commit', run: commit },
  { name: 'after', run: after },
];

/** Tries a write once on the state that this process knows. Throws StatusError, and then leaves no effects. */
export async function runWrite(
  store: ResourceStore,
  intent: WriteIntent,
  write: WriteRequest,
  current: CachedObject | undefined,
): Promise<WriteOutcome | Conflict> {
  const attempt = new WriteAttempt(store, intent, write, current);
  try {
    const outcome = await runSteps(attempt);
    const isConflict = 'newer' in outcome;
    if (isConflict) await attempt.undo.rollback();
    if (isConflict || attempt.dryRun) await attempt.reservation?.rollback();
    else await attempt.reservation?.commit();
    return outcome;
  } catch (error) {
    // The object may be stored, and hold the reservations.
    if (error instanceof StoreUnavailableError && error.ambiguous) throw error;
    await attempt.undo.rollback();
    await attempt.reservation?.rollback();
    throw error;
  }
}

async function runSteps(attempt: WriteAttempt): Promise<WriteOutcome | Conflict> {
  for (const step of writeSteps) {
    const running = step.run(attempt);
    // Most steps wait for nothing: awaiting each would cost more than the step.
    const ending = running instanceof Promise ? await running : running;
    if (ending !== undefined) return ending;
  }
  return attempt.outcome!;
}
