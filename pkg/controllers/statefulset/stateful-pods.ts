import { controllerReference } from '../../client/reconcile/owner-references.ts';
import { statefulSets } from '../../api/apps/tokens.ts';
import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import { goesWithEarlierPod, wantedOwners } from './claim-retention.ts';
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
    return claim !== undefined && goesWithEarlierPod(claim, set, pod);
  });
}

/** Creates the claims of a pod that are not there, as far as that works. */
async function createMissingClaims(set: StatefulSet, pod: Pod, steps: StatefulSetSteps): Promise<void> {
  const failures: Error[] = [];
  for (const wanted of claimsOf(set, pod)) {
    const { name } = wanted.metadata;
    const known = steps.claim(name!);
    if (known?.metadata.deletionTimestamp !== undefined) failures.push(new Error(`pvc ${name} is being deleted`));
    if (known !== undefined) continue;
    const owners = wantedOwners(wanted, set, pod);
    try {
      await steps.createClaim(owners === undefined ? wanted : withOwners(wanted, owners), pod);
    } catch (error) {
      failures.push(new Error(`failed to create PVC ${name}: ${(error as Error).message}`, { cause: error }));
    }
  }
  const [first, ...others] = failures;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  throw new Error(`[${failures.map(({ message }) => message).join(', ')}]`, { cause: first.cause });
}

/** Creates a pod, behind its claims. */
export async function createPod(set: StatefulSet, pod: Pod, steps: StatefulSetSteps): Promise<void> {
  await reported('Create', pod, steps, () => createMissingClaims(set, pod, steps));
  await steps.createPod(pod);
}

/** Creates the missing claims of a pod that waits for them, and gives all of them their owners. */
export async function bringClaims(set: StatefulSet, pod: Pod, steps: StatefulSetSteps): Promise<void> {
  await createMissingClaims(set, pod, steps);
  await reported('Update', pod, steps, () => updateClaimOwners(set, pod, steps));
}

/** What keeps a pod's claims from being right is a failure of the pod. */
async function reported(
  verb: 'Create' | 'Update',
  pod: Pod,
  steps: StatefulSetSteps,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    steps.podFailed(verb, pod, error as Error);
    throw error;
  }
}

export function hasClaimOwners(set: StatefulSet, pod: Pod, steps: StatefulSetSteps): boolean {
  return claimsToOwn(set, pod, steps).length === 0;
}

/** Brings the owners of a pod's claims to what the policy of the set says. */
export async function updateClaimOwners(set: StatefulSet, pod: Pod, steps: StatefulSetSteps): Promise<void> {
  for (const claim of claimsToOwn(set, pod, steps)) await steps.updateClaim(claim);
}

/**
 * Brings labels, volumes and claims of a pod that is there to what its number asks for. The pod is written, and that is
 * said, also where only its claims were wrong.
 */
export async function updatePod(set: StatefulSet, pod: Pod, steps: StatefulSetSteps): Promise<void> {
  const hasVolumes = hasStorage(set, pod);
  await reported('Update', pod, steps, async () => {
    if (!hasVolumes) await createMissingClaims(set, pod, steps);
    await updateClaimOwners(set, pod, steps);
  });
  const labels = { ...pod.metadata.labels, ...identityLabels(pod.metadata.name!) };
  const metadata = hasIdentity(pod) ? pod.metadata : { ...pod.metadata, labels };
  const spec = hasVolumes ? pod.spec : { ...pod.spec, volumes: [...volumesOf(set, pod)] };
  await steps.updatePod({ ...pod, metadata, spec });
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
