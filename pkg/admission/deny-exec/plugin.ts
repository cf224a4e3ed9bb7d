import { eachContainer } from '../../api/core/pod-spec/each-container.ts';
import { field } from '../../apimachinery/field-path.ts';
import { notFound } from '../../apimachinery/status-error.ts';
import type { Pod, PodSpec } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { isFor } from '../subject-matter.ts';

/** Keeps people out of pods through which they could reach the node: those with its process or IPC namespace, or all privileges. */
export function denyEscalatingExecPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return denyExec('DenyEscalatingExec', lookup, (spec) => {
    if (spec.hostPID === true) return 'a container using host pid';
    if (spec.hostIPC === true) return 'a container using host ipc';
    return privilegedContainer(spec);
  });
}

/** The older form, which looks at privileges alone. */
export function denyExecOnPrivilegedPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return denyExec('DenyExecOnPrivileged', lookup, privilegedContainer);
}

/** `escalation` says what is wrong with entering a pod. */
function denyExec(name: string, lookup: ObjectLookup, escalation: (spec: PodSpec) => string | undefined): AdmissionPlugin {
  return {
    name,
    async validate(request) {
      const { operation, subresource, namespace } = request;
      if (operation !== 'CONNECT' || !isFor(request, '', 'pods') || (subresource !== 'exec' && subresource !== 'attach')) return;
      const pod = await lookup.get<Pod>('pods', namespace, request.name);
      if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, request.name);
      const reason = escalation(pod.spec);
      if (reason !== undefined) throw refusal(request, `cannot exec into or attach to ${reason}`);
    },
  };
}

function privilegedContainer(spec: PodSpec): string | undefined {
  for (const [{ securityContext }] of eachContainer(spec, field('spec'))) if (securityContext?.privileged === true) return 'a privileged container';
  return undefined;
}
