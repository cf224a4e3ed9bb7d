import { statefulSets } from '../../api/apps/tokens.ts';
import { pods } from '../../api/core/tokens.ts';
import type { Resource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { controllerReference, refersTo } from '../../client/reconcile/owner-references.ts';
import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { OwnerReference } from '../../generated/types/meta-v1.ts';
import { isInRange, ordinalOf } from './identity.ts';

/**
 * The owners that a claim is to have, so that it is collected as the set's policy says (KEP-1847): with the set, or
 * with a pod that the set has no place for any more. Undefined: it has them. A claim of an earlier set or pod stays as
 * it is, and one that something else controls gets no owner.
 */
export function wantedOwners(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
): readonly OwnerReference[] | undefined {
  const known = claim.metadata.ownerReferences ?? [];
  if (known.some((ref) => isStale(ref, statefulSets, set) || isStale(ref, pods, pod))) return undefined;
  const own = known.filter(({ uid }) => uid === set.metadata.uid || uid === pod.metadata.uid);
  const others = known.filter((ref) => !own.includes(ref));
  const isForeign = others.some(({ controller }) => controller === true);
  const wanted = isForeign ? [] : ownersByPolicy(set, pod);
  const isRight =
    own.length === wanted.length &&
    own.every(({ uid, controller }) => controller === true && wanted.some((ref) => ref.uid === uid));
  return isRight ? undefined : [...others, ...wanted];
}

/** Whether the claim belongs to an earlier pod of the same name, and goes with it. */
export function goesWithEarlierPod(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return false;
  return (claim.metadata.ownerReferences ?? []).some((ref) => isStale(ref, pods, pod));
}

function ownersByPolicy(set: StatefulSet, pod: Pod): readonly OwnerReference[] {
  const { whenScaled, whenDeleted } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const isScaledDown = !isInRange(set, ordinalOf(pod) ?? -1);
  if (whenScaled === 'Delete' && isScaledDown) return [controllerReference(pods, pod)];
  return whenDeleted === 'Delete' ? [controllerReference(statefulSets, set)] : [];
}

/** Whether the reference names the object as it was before it was deleted and made again. */
function isStale(reference: OwnerReference, resource: Resource, { metadata }: ApiObject): boolean {
  return refersTo(reference, resource) && reference.name === metadata.name && reference.uid !== metadata.uid;
}
