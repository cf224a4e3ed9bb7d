import { statefulSets } from '../../api/apps/tokens.ts';
import { pods } from '../../api/core/tokens.ts';
import type { Resource } from '../../api/resource.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { controllerReference, refersTo } from '../../client/reconcile/owner-references.ts';
import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { OwnerReference } from '../../generated/types/meta-v1.ts';
import { isInRange, ordinalOf } from './identity.ts';

/**
 * The owners that a claim is to have, so that it is collected as the set's policy says (KEP-1847): with the set, or
 * with a pod that the set has no place for any more. Undefined: it has them. A claim that something else controls gets
 * none.
 */
export function wantedOwners(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
): readonly OwnerReference[] | undefined {
  const known = claim.metadata.ownerReferences ?? [];
  const uids = [set.metadata.uid, pod.metadata.uid];
  const kept = known.filter((ref) => !names(ref, statefulSets, set) && !names(ref, pods, pod));
  const isForeign = known.some(({ controller, uid }) => controller === true && !uids.includes(uid));
  const wanted = [...kept, ...(isForeign ? [] : ownersByPolicy(set, pod))];
  return deepEqual(wanted, known) ? undefined : wanted;
}

/** Whether the claim belongs to an earlier pod of the same name, and goes with it. */
export function isStale(claim: PersistentVolumeClaim, pod: Pod): boolean {
  return (claim.metadata.ownerReferences ?? []).some((ref) => names(ref, pods, pod) && ref.uid !== pod.metadata.uid);
}

function ownersByPolicy(set: StatefulSet, pod: Pod): readonly OwnerReference[] {
  const { whenScaled, whenDeleted } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const isScaledDown = !isInRange(set, ordinalOf(pod) ?? -1);
  if (whenScaled === 'Delete' && isScaledDown) return [controllerReference(pods, pod)];
  return whenDeleted === 'Delete' ? [controllerReference(statefulSets, set)] : [];
}

function names(reference: OwnerReference, resource: Resource, { metadata }: ApiObject): boolean {
  return refersTo(reference, resource) && reference.name === metadata.name;
}
