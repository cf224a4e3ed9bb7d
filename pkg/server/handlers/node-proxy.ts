import type { StoreAccess } from '../../registry/store-access.ts';
import { unreachableNode } from './node-agent.ts';
import { proxyTarget } from './proxy-target.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';

/** `nodes/<name>/proxy`: HTTP to the agent of a node. */
export function handleNodeProxy(stores: StoreAccess): SubresourceHandler {
  return async (context) => {
    throw await unreachableNode(stores, proxyTarget('node', context.info.name).name);
  };
}
