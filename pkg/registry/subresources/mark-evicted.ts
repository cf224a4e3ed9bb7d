import { noAdmission } from '../../admission/admission.ts';
import { notFound } from '../../apimachinery/errors/status-error.ts';
import type { Pod, PodCondition } from '../../generated/types/core-v1.ts';
import { checkDeletePreconditions, type DeleteRequest } from '../delete-object.ts';
import type { ResourceStore } from '../resource-store.ts';
import { updateObject } from '../update-object.ts';

const TYPE = 'DisruptionTarget';
const WHY = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' } as const;

/**
 * Says in the status of a pod that it is about to be deleted by an eviction, so that its job need not take it for a
 * failure (KEP-3329). Gives the pod as it is then; undefined for a dry run.
 */
export async function markEvicted(pods: ResourceStore<Pod>, request: DeleteRequest): Promise<Pod | undefined> {
  const { context, name } = request;
  if (context.dryRun) return undefined;
  const { object } = await updateObject(pods, {
    ...request,
    subresource: 'status',
    admission: noAdmission,
    transform(current) {
      if (current === undefined) throw notFound(pods.groupResource, name);
      const pod = current.privateObject();
      checkDeletePreconditions(pods, request, pod);
      pod.status.conditions = withTarget(pod, context.now);
      return pod;
    },
  });
  return object.object();
}

function withTarget({ metadata, status }: Pod, now: string): PodCondition[] {
  const known = status.conditions ?? [];
  const before = known.find(({ type }) => type === TYPE);
  const target: PodCondition = {
    type: TYPE,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: before?.status === 'True' ? before.lastTransitionTime : now,
    ...WHY,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  };
  return before === undefined ? [...known, target] : known.map((one) => (one === before ? target : one));
}
