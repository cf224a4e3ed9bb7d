import { noAdmission } from '../../admission/admission.ts';
import { validateBinding } from '../../api/core/binding/binding.ts';
import { FieldErrors, aggregateText } from '../../apimachinery/errors/field-errors.ts';
import { conflict, notFound, plainInternal } from '../../apimachinery/errors/status-error.ts';
import { setKey } from '../../apimachinery/json/own-keys.ts';
import type { Binding, Pod, PodCondition } from '../../generated/types/core-v1.ts';
import type { ResourceStore } from '../resource-store.ts';
import { updateObject } from '../update-object.ts';
import type { WriteRequest } from '../write-request.ts';

/** Binds a pod to a node; admission has seen the binding. Throws 404, 409, and 500 for an invalid binding. */
export async function bindPod(pods: ResourceStore<Pod>, binding: Binding, write: WriteRequest): Promise<void> {
  checkBinding(binding);
  const { name = '', uid, resourceVersion } = binding.metadata;
  await updateObject(pods, {
    ...write,
    name,
    subresource: 'binding',
    admission: noAdmission,
    preconditionUid: uid,
    transform(current) {
      if (current === undefined) throw notFound(pods.groupResource, name);
      const pod = current.privateObject();
      const refuse = (message: string): Error => conflict({ group: '', resource: 'pods/binding' }, name, message);
      if (pod.metadata.deletionTimestamp !== undefined)
        throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
      if (pod.spec.nodeName)
        throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
      if (pod.spec.schedulingGates?.length) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
      bind(pod, binding, write.context.now);
      if (resourceVersion) pod.metadata.resourceVersion = resourceVersion;
      return pod;
    },
  });
}

/** Stock servers answer these as plain failures, not as 422. */
function checkBinding(binding: Binding): void {
  const errors = new FieldErrors();
  validateBinding(binding, errors);
  if (errors.length > 0) throw plainInternal(aggregateText(errors));
}

function bind(pod: Pod, { target, metadata }: Binding, now: string): void {
  pod.spec.nodeName = target.name!;
  // The pod's nominated node is obsolete.
  delete pod.status.nominatedNodeName;
  for (const [key, value] of Object.entries(metadata.annotations ?? {}))
    setKey((pod.metadata.annotations ??= {}), key, value);
  // Those that admission copied from the node, and any that a webhook added.
  for (const [key, value] of Object.entries(metadata.labels ?? {})) setKey((pod.metadata.labels ??= {}), key, value);
  setScheduled(pod, now);
}

function setScheduled({ metadata, status }: Pod, now: string): void {
  const conditions = status.conditions ?? [];
  const known = conditions.find((c) => c.type === 'PodScheduled');
  const scheduled: PodCondition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: known?.status === 'True' ? known.lastTransitionTime : now,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  };
  status.conditions =
    known === undefined ? [...conditions, scheduled] : conditions.map((c) => (c === known ? scheduled : c));
}
