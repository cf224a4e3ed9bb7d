import type { AdmissionRequest } from './admission.ts';
import { refusal } from './refusal.ts';

/**
 * Most steps of a plugin that compares each item of one list with each of another: some 100 ms. Clients choose the
 * length of both.
 */
const STEPS_MAX = 200_000;

/** Throws 403 where `steps` are too many; `what` names the lists. */
export function checkSteps(request: AdmissionRequest, steps: number, what: string): void {
  if (steps > STEPS_MAX)
    throw refusal(request, `too many ${what} to compare each with each: ${steps} comparisons, at most ${STEPS_MAX}`);
}
