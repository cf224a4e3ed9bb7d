import type { AdmissionPlugin } from '../admission.ts';
import { execDenial, privilegedContainer } from '../exec-denial.ts';
import type { ObjectLookup } from '../object-lookup.ts';

/**
 * Refuses exec and attach in pods through which users could reach the node: those with its process or IPC namespace, or
 * all privileges.
 */
export function denyEscalatingExecPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return execDenial('DenyEscalatingExec', lookup, (spec) => {
    if (spec.hostPID === true) return 'a container using host pid';
    if (spec.hostIPC === true) return 'a container using host ipc';
    return privilegedContainer(spec);
  });
}
