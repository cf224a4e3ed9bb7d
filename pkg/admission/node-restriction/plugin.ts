import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { ResourceSlice } from '../../generated/types/resource-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { isFor, handles } from '../handles.ts';
import { admitClaimStatus } from './admit-claim-status.ts';
import { admitNode } from './admit-node.ts';
import { admitPod, admitPodEviction, admitPodStatus } from './admit-pod.ts';
import { admitTokenRequest } from './admit-token-request.ts';
import { nodeNameOf } from '../../authorization/node/node-identity.ts';

const NODE_LEASES = 'kube-node-lease';

/** Keeps each node to its own Node object, lease and pods, whatever its role would let it do to those of others. */
export function nodeRestrictionPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    admit: handles(isByNode, async (request) => {
      const node = nodeNameOf(request.user) ?? '';
      if (node === '') throw refusal(request, `could not determine node from user ${goQuote(request.user.name)}`);
      if (isFor(request, '', 'pods')) await admitPodPath(lookup, node, request);
      else if (isFor(request, '', 'nodes')) admitNode(node, request);
      else if (isFor(request, '', 'persistentvolumeclaims')) admitClaimStatus(node, request);
      else if (isFor(request, '', 'serviceaccounts')) await admitTokenRequest(lookup, node, request);
      else if (isFor(request, 'coordination.k8s.io', 'leases')) admitLease(node, request);
      else if (isFor(request, 'resource.k8s.io', 'resourceslices')) admitResourceSlice(node, request);
      else if (isFor(request, 'storage.k8s.io', 'csinodes') && request.name !== node)
        throw refusal(request, 'can only access CSINode with the same name as the requesting node');
    }),
  };
}

function isByNode({ operation, user }: AdmissionRequest): boolean {
  return operation !== 'CONNECT' && nodeNameOf(user) !== undefined;
}

function admitPodPath(lookup: ObjectLookup, node: string, request: AdmissionRequest): Promise<void> | void {
  switch (request.subresource) {
    case '':
      return admitPod(lookup, node, request);
    case 'status':
      return admitPodStatus(node, request);
    case 'eviction':
      return admitPodEviction(lookup, node, request);
    default:
      throw refusal(
        request,
        `unexpected pod subresource ${goQuote(request.subresource)}, only 'status' and 'eviction' are allowed`,
      );
  }
}

function admitLease(node: string, request: AdmissionRequest): void {
  if (request.namespace !== NODE_LEASES)
    throw refusal(request, `can only access leases in the ${goQuote(NODE_LEASES)} system namespace`);
  if (request.name !== node)
    throw refusal(request, 'can only access node lease with the same name as the requesting node');
}

/** The rest is for the authorizer to decide: it knows which slices are the node's. */
function admitResourceSlice(node: string, request: AdmissionRequest): void {
  const nodeOf = (slice: AdmissionRequest['object']): string | undefined => (slice as ResourceSlice).spec.nodeName;
  if (request.operation === 'CREATE' && nodeOf(request.object) !== node)
    throw refusal(request, 'can only create ResourceSlice with the same NodeName as the requesting node');
  if (request.operation === 'DELETE' && nodeOf(request.oldObject) !== node)
    throw refusal(request, 'can only delete ResourceSlice with the same NodeName as the requesting node');
}
