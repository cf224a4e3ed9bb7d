import { noAdmission } from '../../admission/admission.ts';
import { withDisruptionTarget } from '../../api/core/pod/disruption-target.ts';
import { notFound } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { checkDeletePreconditions, type DeleteRequest } from '../delete-object.ts';
import type { ResourceStore } from '../resource-store.ts';
import { updateObject } from '../update-object.ts';

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
      pod.status.conditions = withDisruptionTarget(pod, WHY, context.now);
      return pod;
    },
  });
  return object.object();
}
