import { nodes, pods } from '../../api/core/tokens.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { notFound } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { RequestOn } from '../handles.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refersToConfigMaps, refersToSecrets } from '../pod-references.ts';
import { refusal } from '../refusal.ts';

const MIRROR = 'kubernetes.io/config.mirror';

/** A node may create mirror pods for itself, delete its pods, and update the status of its pods. */
export async function admitPod(lookup: ObjectLookup, node: string, request: RequestOn<Pod>): Promise<void> {
  switch (request.operation) {
    case 'CREATE':
      return admitMirrorPod(lookup, node, request);
    case 'DELETE':
      if (request.oldObject.spec.nodeName !== node)
        throw refusal(request, `node ${goQuote(node)} can only delete pods with spec.nodeName set to itself`);
      return;
    default:
      throw refusal(
        request,
        `unexpected operation ${goQuote(request.operation)}, node ${goQuote(node)} can only create and delete mirror pods`,
      );
  }
}

async function admitMirrorPod(lookup: ObjectLookup, node: string, request: RequestOn<Pod, 'CREATE'>): Promise<void> {
  const { metadata, spec } = request.object;
  const quoted = goQuote(node);
  if (getKey(metadata.annotations, MIRROR) === undefined)
    throw refusal(
      request,
      `pod does not have ${goQuote(MIRROR)} annotation, node ${quoted} can only create mirror pods`,
    );
  if (spec.nodeName !== node)
    throw refusal(request, `node ${quoted} can only create pods with spec.nodeName set to itself`);
  await checkOwner(lookup, node, request);
  const refuse = (what: string): Error => refusal(request, `node ${quoted} can not create pods that reference ${what}`);
  // A node may read all objects that its pods refer to.
  if (spec.serviceAccountName) throw refuse('a service account');
  if (refersToSecrets(spec)) throw refuse('secrets');
  if (refersToConfigMaps(spec)) throw refuse('configmaps');
  if (
    spec.volumes?.some(({ projected }) =>
      projected?.sources?.some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined),
    )
  )
    throw refuse('clustertrustbundles');
  if (
    spec.volumes?.some(
      ({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim !== undefined || ephemeral !== undefined,
    )
  )
    throw refuse('persistentvolumeclaims');
  if ((spec.resourceClaims?.length ?? 0) > 0) throw refuse('resourceclaims');
}

async function checkOwner(lookup: ObjectLookup, node: string, request: RequestOn<Pod, 'CREATE'>): Promise<void> {
  const owners = request.object.metadata.ownerReferences ?? [];
  const quoted = goQuote(node);
  if (owners.length > 1)
    throw refusal(request, `node ${quoted} can only create pods with a single owner reference set to itself`);
  const [owner] = owners;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    throw refusal(request, `node ${quoted} can only create pods with an owner reference set to itself`);
  if (owner.controller !== true)
    throw refusal(request, `node ${quoted} can only create pods with a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion === true)
    throw refusal(request, `node ${quoted} must not set blockOwnerDeletion on an owner reference`);
  const known = await lookup.get(nodes, '', node);
  if (known === undefined) throw notFound({ group: '', resource: 'nodes' }, node);
  if (owner.uid !== known.metadata.uid)
    throw refusal(request, `node ${node} UID mismatch: expected ${owner.uid} got ${known.metadata.uid}`);
}

export function admitPodStatus(node: string, request: RequestOn<Pod>): void {
  if (request.operation !== 'UPDATE') throw refusal(request, `unexpected operation ${goQuote(request.operation)}`);
  const { object: pod, oldObject: old } = request;
  const quoted = goQuote(node);
  if (old.spec.nodeName !== node)
    throw refusal(request, `node ${quoted} can only update pod status for pods with spec.nodeName set to itself`);
  if (!semanticDeepEqual(old.metadata.labels, pod.metadata.labels))
    throw refusal(request, `node ${quoted} cannot update labels through pod status`);
  if (!semanticDeepEqual(old.status.resourceClaimStatuses, pod.status.resourceClaimStatuses))
    throw refusal(request, `node ${quoted} cannot update resource claim statues`);
  // Nodes read the claims in the status of their pods.
  if (!semanticDeepEqual(old.status.extendedResourceClaimStatus, pod.status.extendedResourceClaimStatus)) {
    throw refusal(request, `node ${quoted} cannot update extended resource claim status`);
  }
}

export async function admitPodEviction(lookup: ObjectLookup, node: string, request: AdmissionRequest): Promise<void> {
  if (request.operation !== 'CREATE') throw refusal(request, `unexpected operation ${request.operation}`);
  const pod = await lookup.get(pods, request.namespace, request.name);
  if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, request.name);
  if (pod.spec.nodeName !== node)
    throw refusal(request, `node ${node} can only evict pods with spec.nodeName set to itself`);
}
