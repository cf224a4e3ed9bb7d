import { deepCopy, semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import type { RequestOn } from '../handles.ts';
import { refusal } from '../refusal.ts';

/** A node that has resized a volume reports that in the claim's status, and changes nothing else. */
export function admitClaimStatus(node: string, request: RequestOn<PersistentVolumeClaim>): void {
  if (request.subresource !== 'status') throw refusal(request, 'may only update PVC status');
  if (request.operation !== 'UPDATE') throw refusal(request, `unexpected operation ${goQuote(request.operation)}`);
  if (semanticDeepEqual(withoutGrowth(request.object), withoutGrowth(request.oldObject))) return;
  throw refusal(
    request,
    `node ${goQuote(node)} is not allowed to update fields other than status.capacity and status.conditions`,
  );
}

function withoutGrowth(object: PersistentVolumeClaim): PersistentVolumeClaim {
  const claim = deepCopy(object);
  delete claim.metadata.resourceVersion;
  delete claim.metadata.managedFields;
  for (const field of ['capacity', 'conditions', 'allocatedResources', 'allocatedResourceStatuses'] as const)
    delete claim.status[field];
  return claim;
}
