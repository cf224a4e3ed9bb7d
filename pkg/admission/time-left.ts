import { timeout } from '../apimachinery/errors/status-error.ts';
import type { AdmissionRequest } from './admission.ts';

/** Milliseconds until the request times out. Throws 504 where it has. */
export function timeLeftMs({ deadlineMs = Infinity }: AdmissionRequest): number {
  const left = deadlineMs - performance.now();
  if (left <= 0) throw tooLate();
  return left;
}

/** A timer that was set to the deadline may fire a little before it. */
const TIMER_SLACK_MS = 2;

/** Whether the client waits no more: what failed now failed for that reason. */
export function isTooLate({ deadlineMs = Infinity }: AdmissionRequest): boolean {
  return deadlineMs - performance.now() < TIMER_SLACK_MS;
}

export function tooLate(): Error {
  return timeout('request did not complete within requested timeout');
}
