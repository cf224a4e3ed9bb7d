import type { AdmissionPlugin } from '../admission.ts';
import { execDenial, privilegedContainer } from '../exec-denial.ts';
import type { ObjectLookup } from '../object-lookup.ts';

/** The older form of DenyEscalatingExec, which checks privileges alone. */
export function denyExecOnPrivilegedPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return execDenial('DenyExecOnPrivileged', lookup, privilegedContainer);
}
