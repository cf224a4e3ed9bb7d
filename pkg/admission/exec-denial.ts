import { pods } from '../api/core/tokens.ts';
import { eachContainer } from '../api/core/pod-spec/each-container.ts';
import { field } from '../apimachinery/errors/field-path.ts';
import { notFound } from '../apimachinery/errors/status-error.ts';
import type { PodSpec } from '../generated/types/core-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import type { ObjectLookup } from './object-lookup.ts';
import { refusal } from './refusal.ts';
import { isFor, handles } from './handles.ts';

/** Refuses exec and attach in pods; `escalation` returns why a pod is dangerous. */
export function execDenial(
  name: string,
  lookup: ObjectLookup,
  escalation: (spec: PodSpec) => string | undefined,
): AdmissionPlugin {
  return {
    name,
    validate: handles(isEntering, async (request) => {
      const pod = await lookup.get(pods, request.namespace, request.name);
      if (pod === undefined) throw refusal(request, notFound({ group: '', resource: 'pods' }, request.name).message);
      const reason = escalation(pod.spec);
      if (reason !== undefined) throw refusal(request, `cannot exec into or attach to ${reason}`);
    }),
  };
}

function isEntering(request: AdmissionRequest): boolean {
  const { operation, subresource } = request;
  return operation === 'CONNECT' && isFor(request, pods) && (subresource === 'exec' || subresource === 'attach');
}

/** The problem of a pod that has a privileged container of any kind. */
export function privilegedContainer(spec: PodSpec): string | undefined {
  for (const [{ securityContext }] of eachContainer(spec, field('spec')))
    if (securityContext?.privileged === true) return 'a privileged container';
  return undefined;
}
