import { controllerReference } from '../../client/reconcile/owner-references.ts';
import { statefulSets } from '../../api/apps/tokens.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import { isStale, wantedOwners } from './claim-retention.ts';
import { claimsOf, hasStorage, volumesOf } from './claims.ts';
import { hasIdentity, identityLabels, revisionLabel } from './identity.ts';
import type { StatefulSetSteps } from './steps.ts';

/** The pod of one ordinal, by the template of one revision. */
export function newPod(set: StatefulSet, ordinal: number, revision: string): Pod {
  const { template } = set.spec;
  const name = `${set.metadata.name}-${ordinal}`;
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const pod: Pod = {
    metadata: {
      name,
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace,
      labels: { ...labels, ...identityLabels(name), ...revisionLabel(revision) },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
      ownerReferences: [controllerReference(statefulSets, set)],
    },
    spec: { ...structuredClone(template.spec ?? { containers: [] }), hostname: name, subdomain: set.spec.serviceName },
    status: {},
  };
  const volumes = volumesOf(set, pod);
  return volumes.length === 0 ? pod : { ...pod, spec: { ...pod.spec, volumes: [...volumes] } };
}

/** Whether a claim of a pod that is to be created still goes away with the last pod of its name. */
export function hasStaleClaim(set: StatefulSet, pod: Pod, steps: StatefulSetSteps): boolean {
  return claimsOf(set, pod).some(({ metadata }) => {
    const claim = steps.claim(metadata.name!);
    return claim !== undefined && isStale(claim, pod);
  });
}

/** Creates the claims of a pod that are not there. */
export async function createMissingClaims(set: StatefulSet, pod: Pod, steps: StatefulSetSteps): Promise<void> {
  for (const wanted of claimsOf(set, pod)) {
    const known = steps.claim(wanted.metadata.name!);
    if (known?.metadata.deletionTimestamp !== undefined)
      throw new Error(`pvc ${wanted.metadata.name} is being deleted`);
    if (known !== undefined) continue;
    const owners = wantedOwners(wanted, set, pod);
    await steps.createClaim(owners === undefined ? wanted : withOwners(wanted, owners), pod);
  }
}

export function hasClaimOwners(set: StatefulSet, pod: Pod, steps: StatefulSetSteps): boolean {
  return claimsToOwn(set, pod, steps).length === 0;
}

/** Brings the owners of a pod's claims to what the policy of the set says. */
export async function updateClaimOwners(set: StatefulSet, pod: Pod, steps: StatefulSetSteps): Promise<void> {
  for (const claim of claimsToOwn(set, pod, steps)) await steps.updateClaim(claim);
}

/** Brings labels, volumes and claims of a pod that is there to what its number asks for. */
export async function updatePod(set: StatefulSet, pod: Pod, steps: StatefulSetSteps): Promise<void> {
  const labels = { ...pod.metadata.labels, ...identityLabels(pod.metadata.name!) };
  const spec = hasStorage(set, pod) ? pod.spec : { ...pod.spec, volumes: [...volumesOf(set, pod)] };
  if (!hasStorage(set, pod)) await createMissingClaims(set, pod, steps);
  await updateClaimOwners(set, pod, steps);
  const wanted: Pod = { ...pod, metadata: { ...pod.metadata, labels }, spec };
  if (!hasIdentity(pod) || !deepEqual(spec, pod.spec)) await steps.updatePod(wanted);
}

function claimsToOwn(set: StatefulSet, pod: Pod, steps: StatefulSetSteps): readonly PersistentVolumeClaim[] {
  return claimsOf(set, pod).flatMap(({ metadata }) => {
    const claim = steps.claim(metadata.name!);
    const owners = claim === undefined ? undefined : wantedOwners(claim, set, pod);
    return claim === undefined || owners === undefined ? [] : [withOwners(claim, owners)];
  });
}

function withOwners(
  claim: PersistentVolumeClaim,
  owners: NonNullable<ReturnType<typeof wantedOwners>>,
): PersistentVolumeClaim {
  return { ...claim, metadata: { ...claim.metadata, ownerReferences: [...owners] } };
}
