import type { Backend } from '../connections/backend.ts';
import type { Connections } from '../connections/connections.ts';
import { admitConnect } from './admit-connect.ts';
import { proxyOptions } from './connect-options.ts';
import { proxyBackend } from './proxy-backend.ts';
import { proxyTarget } from './proxy-target.ts';
import { proxyTo } from './proxy-to.ts';
import type { SubresourceHandler } from '../subresources/subresource-handlers.ts';

/** `nodes/<name>/proxy`: HTTP to the agent of a node, or to another port of the node. */
export function handleNodeProxy(connections: Connections): SubresourceHandler {
  return async (context, endpoint, parts) => {
    const { scheme, name, port } = proxyTarget('node', context.info.name);
    await admitConnect(context, endpoint, parts, proxyOptions('NodeProxyOptions', context.info));
    const agent = await connections.agents.find(name);
    const isAgent = port === '' || port === String(agent.port);
    await proxyTo(context, connections, isAgent ? reachable(agent) : proxyBackend(scheme, agent.host, port));
  };
}

/** Nodes report their addresses themselves: one of this machine would open a way into it. */
function reachable(agent: Backend): Backend {
  return { ...agent, isTrusted: false };
}
