import { admissionRequest } from '../write-request.ts';
import type { WriteAttempt } from './write-attempt.ts';

/** May change `object`. */
export function mutatingAdmission(attempt: WriteAttempt): Promise<void> {
  return attempt.write.admission.admit(requestOf(attempt));
}

/** Effects of plugins outside of the object are undone when the write does not happen. */
export function validatingAdmission(attempt: WriteAttempt): Promise<void> {
  return attempt.write.admission.validate(requestOf(attempt, attempt.undo));
}

function requestOf(attempt: WriteAttempt, undo?: WriteAttempt['undo']): ReturnType<typeof admissionRequest> {
  const { operation } = attempt.intent;
  // A delete has no new object, although one that waits for finalizers is stored.
  const object = operation === 'DELETE' ? undefined : attempt.object;
  return admissionRequest(attempt.store, attempt.admitted, operation, object, attempt.old, undo);
}
