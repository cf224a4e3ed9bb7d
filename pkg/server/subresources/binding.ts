import { noAdmission } from '../../admission/admission.ts';
import { validateBinding } from '../../api/core/binding/binding.ts';
import { FieldErrors, aggregateText } from '../../apimachinery/errors/field-errors.ts';
import { setKey } from '../../apimachinery/json/own-keys.ts';
import { badRequest, conflict, notFound, successStatus } from '../../apimachinery/errors/status-error.ts';
import type { Binding, Pod, PodCondition } from '../../generated/types/core-v1.ts';
import { updateObject } from '../../registry/update-object.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import type { RequestContext } from '../request/request-context.ts';
import { parseWriteOptions, plainInternal } from '../request/request-options.ts';
import type { ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';
import { admitDocument } from './admit-document.ts';
import { answerCreatedStatus, negotiateStatus } from '../verbs/answer-status.ts';
import { decodeBodyKind } from './decode-body-kind.ts';
import { matchNamespace } from '../verbs/match-path.ts';
import { writeRequest } from '../verbs/strategy-context.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';

/** POST of a Binding, to `pods/<name>/binding` or to the older `bindings`: gives a pod to a node. */
export function handleBinding(stores: StoreAccess): SubresourceHandler {
  return async (context, endpoint, parts) => {
    const accepted = negotiateStatus(context);
    const options = parseWriteOptions(context.query, 'CreateOptions');
    const binding = decodeBodyKind<Binding>(context, endpoint.store.scheme, 'Binding', ['v1'], options.fieldValidation);
    matchNamespace(context, endpoint, binding);
    const name = binding.metadata.name ?? '';
    if (endpoint.subresource !== undefined && name !== context.info.name)
      throw badRequest('name in URL does not match name in Binding object');
    await admitDocument(context, endpoint, parts, 'CREATE', binding, undefined, options.dryRun);
    checkBinding(binding);
    await assignPod(stores, context, endpoint, parts, binding, options.dryRun);
    answerCreatedStatus(context, successStatus(), accepted);
  };
}

/** Stock servers answer these as plain failures, not as 422. */
function checkBinding(binding: Binding): void {
  const errors = new FieldErrors();
  validateBinding(binding, errors);
  if (errors.length > 0) throw plainInternal(aggregateText(errors));
}

async function assignPod(
  stores: StoreAccess,
  context: RequestContext,
  endpoint: ResourceEndpoint,
  parts: ServerParts,
  binding: Binding,
  dryRun: boolean,
): Promise<void> {
  const pods = stores('pods');
  const { name = '', uid, resourceVersion } = binding.metadata;
  const write = writeRequest(context, endpoint, parts, dryRun);
  await updateObject(pods, {
    ...write,
    name,
    subresource: 'binding',
    admission: noAdmission,
    preconditionUid: uid,
    transform(current) {
      if (current === undefined) throw notFound(pods.groupResource, name);
      const pod = current.privateObject() as Pod;
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

function bind(pod: Pod, { target, metadata }: Binding, now: string): void {
  pod.spec.nodeName = target.name!;
  // What a scheduler had in mind for the pod is past.
  delete pod.status.nominatedNodeName;
  for (const [key, value] of Object.entries(metadata.annotations ?? {}))
    setKey((pod.metadata.annotations ??= {}), key, value);
  setScheduled(pod, now);
}

function setScheduled({ status }: Pod, now: string): void {
  const conditions = status.conditions ?? [];
  const known = conditions.find((c) => c.type === 'PodScheduled');
  const scheduled: PodCondition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: known?.status === 'True' ? known.lastTransitionTime : now,
  };
  status.conditions =
    known === undefined ? [...conditions, scheduled] : conditions.map((c) => (c === known ? scheduled : c));
}
