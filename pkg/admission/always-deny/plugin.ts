import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { refusal } from '../refusal.ts';

/** Refuses every write and connection; for tests of clients. */
export function alwaysDenyPlugin(): AdmissionPlugin {
  const refuse = (request: AdmissionRequest): never => {
    throw refusal(request, 'admission control is denying all modifications');
  };
  return { name: 'AlwaysDeny', admit: refuse, validate: refuse };
}
