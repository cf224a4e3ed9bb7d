import { timeout } from '../apimachinery/errors/status-error.ts';
import type { AdmissionRequest } from './admission.ts';

/** How long the client waits yet, milliseconds. Throws 504 where it does not wait any more. */
export function timeLeftMs({ deadlineMs = Infinity }: AdmissionRequest): number {
  const left = deadlineMs - performance.now();
  if (left <= 0) throw tooLate();
  return left;
}

export function tooLate(): Error {
  return timeout('request did not complete within requested timeout');
}
