import { csiNodes } from '../../api/storage/tokens.ts';
import { resourceSlices } from '../../api/resource/tokens.ts';
import { nodes, persistentVolumeClaims, pods, serviceAccounts } from '../../api/core/tokens.ts';
import { leases } from '../../api/coordination/tokens.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { ResourceSlice } from '../../generated/types/resource-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { handles, isFor, isWriteOf, requestsOn, requestsOnPath, type RequestOn } from '../handles.ts';
import { admitClaimStatus } from './admit-claim-status.ts';
import { admitNode } from './admit-node.ts';
import { admitPod, admitPodEviction, admitPodStatus } from './admit-pod.ts';
import { admitTokenRequest } from './admit-token-request.ts';
import { nodeNameOf } from '../../authorization/node/node-identity.ts';

const NODE_LEASES = 'kube-node-lease';

/** Limits each node to its own Node object, lease and pods, whatever its role allows. */
export function nodeRestrictionPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    admit: handles(isByNode, async (request) => {
      const node = nodeNameOf(request.user) ?? '';
      if (node === '') throw refusal(request, `could not determine node from user ${goQuote(request.user.name)}`);
      if (isFor(request, pods)) await admitPodPath(lookup, node, request);
      else if (isWriteOf(request, nodes)) admitNode(node, request);
      else if (isWriteOf(request, persistentVolumeClaims)) admitClaimStatus(node, request);
      else if (isFor(request, serviceAccounts)) await admitTokenRequest(lookup, node, request);
      else if (isFor(request, leases)) admitLease(node, request);
      else if (isWriteOf(request, resourceSlices)) admitResourceSlice(node, request);
      else if (isFor(request, csiNodes) && request.name !== node)
        throw refusal(request, 'can only access CSINode with the same name as the requesting node');
    }),
  };
}

function isByNode({ operation, user }: AdmissionRequest): boolean {
  return operation !== 'CONNECT' && nodeNameOf(user) !== undefined;
}

const isPodWrite = requestsOn(pods, 'CREATE', 'UPDATE', 'DELETE');
const isPodStatusWrite = requestsOnPath(pods, 'status', 'CREATE', 'UPDATE', 'DELETE');

function admitPodPath(lookup: ObjectLookup, node: string, request: AdmissionRequest): Promise<void> | void {
  if (isPodWrite(request)) return admitPod(lookup, node, request);
  if (isPodStatusWrite(request)) return admitPodStatus(node, request);
  if (request.subresource === 'eviction') return admitPodEviction(lookup, node, request);
  throw refusal(
    request,
    `unexpected pod subresource ${goQuote(request.subresource)}, only 'status' and 'eviction' are allowed`,
  );
}

function admitLease(node: string, request: AdmissionRequest): void {
  if (request.namespace !== NODE_LEASES)
    throw refusal(request, `can only access leases in the ${goQuote(NODE_LEASES)} system namespace`);
  if (request.name !== node)
    throw refusal(request, 'can only access node lease with the same name as the requesting node');
}

/** The authorizer decides the rest: it knows which slices are the node's. */
function admitResourceSlice(node: string, request: RequestOn<ResourceSlice>): void {
  if (request.operation === 'CREATE' && request.object.spec.nodeName !== node)
    throw refusal(request, 'can only create ResourceSlice with the same NodeName as the requesting node');
  if (request.operation === 'DELETE' && request.oldObject.spec.nodeName !== node)
    throw refusal(request, 'can only delete ResourceSlice with the same NodeName as the requesting node');
}
