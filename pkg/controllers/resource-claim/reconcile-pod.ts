import type { Pod, PodResourceClaim, PodResourceClaimStatus } from '../../generated/types/core-v1.ts';
import type { ResourceClaim, ResourceClaimTemplate } from '../../generated/types/resource-v1.ts';
import { claimNameOf, isDone, isReservedFor, POD_CLAIM_NAME, podOf } from './claim-names.ts';

export interface PodClaimSteps {
  readonly claim: (namespace: string, name: string) => ResourceClaim | undefined;
  /** Claims that were made for the pod. */
  readonly claimsOf: (pod: Pod) => readonly ResourceClaim[];
  readonly template: (namespace: string, name: string) => ResourceClaimTemplate | undefined;
  readonly createClaim: (pod: Pod, claim: ResourceClaim) => Promise<ResourceClaim>;
  readonly writeClaimStatus: (claim: ResourceClaim) => Promise<unknown>;
  readonly writePodStatuses: (pod: Pod, statuses: readonly PodResourceClaimStatus[]) => Promise<unknown>;
  readonly failed: (pod: Pod, note: string) => void;
}

/** Makes the claims that a pod wants from templates, names them in its status, and reserves those of placed pods. */
export async function reconcilePod(pod: Pod, steps: PodClaimSteps): Promise<void> {
  if (isDone(pod) || pod.metadata.deletionTimestamp !== undefined) return;
  const made: PodResourceClaimStatus[] = [];
  for (const entry of pod.spec.resourceClaims ?? []) {
    try {
      const name = await ensureClaim(pod, entry, steps);
      if (name !== undefined) made.push({ name: entry.name, resourceClaimName: name });
    } catch (error) {
      steps.failed(pod, `PodResourceClaim ${entry.name}: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
  }
  if (made.length > 0) await steps.writePodStatuses(pod, made);
  if ((pod.spec.nodeName ?? '') !== '') await reserveClaims(pod, steps);
}

/** The name to write into the status; undefined: it is there, or the claim is not made from a template. */
async function ensureClaim(pod: Pod, entry: PodResourceClaim, steps: PodClaimSteps): Promise<string | undefined> {
  const templateName = entry.resourceClaimTemplateName ?? '';
  if (templateName === '') return undefined;
  const namespace = pod.metadata.namespace!;
  const known = pod.status.resourceClaimStatuses?.find(({ name }) => name === entry.name);
  if (known !== undefined) {
    // None was needed.
    if ((known.resourceClaimName ?? '') === '') return undefined;
    const claim = steps.claim(namespace, known.resourceClaimName!);
    if (claim !== undefined) {
      if (podOf(claim)?.uid === pod.metadata.uid) return undefined;
      throw new Error(
        `ResourceClaim ${namespace}/${claim.metadata.name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`,
      );
    }
  }
  const before = steps
    .claimsOf(pod)
    .find(
      ({ metadata }) =>
        metadata.annotations?.[POD_CLAIM_NAME] === entry.name && metadata.deletionTimestamp === undefined,
    );
  if (before !== undefined) return before.metadata.name;
  const template = steps.template(namespace, templateName);
  if (template === undefined) {
    const quoted = JSON.stringify(templateName);
    throw new Error(`resource claim template ${quoted}: resourceclaimtemplate.resource.k8s.io ${quoted} not found`);
  }
  return (await steps.createClaim(pod, claimFor(pod, entry, template))).metadata.name;
}

function claimFor({ metadata }: Pod, { name }: PodResourceClaim, template: ResourceClaimTemplate): ResourceClaim {
  const { labels, annotations } = template.spec.metadata ?? {};
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      namespace: metadata.namespace!,
      generateName: `${metadata.name}-${name}-`,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [POD_CLAIM_NAME]: name },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: metadata.name!, uid: metadata.uid!, controller: true }],
    },
    spec: template.spec.spec,
    status: {},
  };
}

/** A pod that got its node without the scheduler has its allocated claims reserved here. */
async function reserveClaims(pod: Pod, steps: PodClaimSteps): Promise<void> {
  for (const entry of pod.spec.resourceClaims ?? []) {
    const name = claimNameOf(pod, entry);
    const claim = name === undefined ? undefined : steps.claim(pod.metadata.namespace!, name);
    if (claim?.status?.allocation === undefined || isReservedFor(claim, pod)) continue;
    const reference = { resource: 'pods', name: pod.metadata.name!, uid: pod.metadata.uid! };
    const reservedFor = [...(claim.status.reservedFor ?? []), reference];
    await steps.writeClaimStatus({ ...claim, status: { ...claim.status, reservedFor } });
  }
}
