import type { StoreAccess } from '../../registry/store-access.ts';
import { admitConnect } from './admit-connect.ts';
import { proxyOptions } from './connect-options.ts';
import { unreachableNode } from './node-agent.ts';
import { proxyTarget } from './proxy-target.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';

/** `nodes/<name>/proxy`: HTTP to the agent of a node. */
export function handleNodeProxy(stores: StoreAccess): SubresourceHandler {
  return async (context, endpoint, parts) => {
    const { name } = proxyTarget('node', context.info.name);
    await admitConnect(context, endpoint, parts, proxyOptions('NodeProxyOptions', context.info.tail));
    throw await unreachableNode(stores, name);
  };
}
