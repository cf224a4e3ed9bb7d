import type { AdmissionPlugin } from '../admission.ts';

/** Admits everything; kept for command lines that name it. */
export function alwaysAdmitPlugin(): AdmissionPlugin {
  return { name: 'AlwaysAdmit', admit: () => undefined, validate: () => undefined };
}
