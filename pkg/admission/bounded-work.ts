import type { AdmissionRequest } from './admission.ts';
import { refusal } from './refusal.ts';

/**
 * Most steps of a plugin that looks at each of one list for each of another: some 100 ms. Both may have as many as a
 * client likes.
 */
const STEPS_MAX = 200_000;

/** Throws 403 where `steps` are too many; `what` names the lists. */
export function checkSteps(request: AdmissionRequest, steps: number, what: string): void {
  if (steps > STEPS_MAX)
    throw refusal(request, `too many ${what} to compare each with each: ${steps} comparisons, at most ${STEPS_MAX}`);
}
