import { serviceUnavailable } from '../../apimachinery/status-error.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { plainInternal } from '../request-options.ts';

/** Why a request cannot be handed on to a node: 404 for an unknown node, 500 for one without an address, else 503: there is no way to its agent. */
export async function unreachableNode(stores: StoreAccess, nodeName: string): Promise<Error> {
  const node = (await getObject(stores('nodes'), '', nodeName, { kind: 'consistent' })).object() as Node;
  if (!node.status.addresses?.length) return plainInternal('no preferred addresses found; known addresses: []');
  return serviceUnavailable(`the agent of node ${JSON.stringify(nodeName)} cannot be reached: this server does not connect to nodes`);
}
