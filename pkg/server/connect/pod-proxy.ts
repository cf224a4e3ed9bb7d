import { pods } from '../../api/core/tokens.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { parseIp } from '../../apimachinery/names/ip.ts';
import { badRequest } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { Connections } from '../connections/connections.ts';
import { isRoutable } from '../connections/routable-address.ts';
import { admitConnect } from './admit-connect.ts';
import { proxyOptions } from './connect-options.ts';
import { proxyBackend } from './proxy-backend.ts';
import { proxyTarget } from './proxy-target.ts';
import { proxyTo } from './proxy-to.ts';
import type { SubresourceHandler } from '../subresources/subresource-handlers.ts';

/** `pods/<name>/proxy`: HTTP to a port of a pod, by default the first one of its containers. */
export function handlePodProxy(stores: StoreAccess, connections: Connections): SubresourceHandler {
  return async (context, endpoint, parts) => {
    const { scheme, name, port } = proxyTarget('pod', context.info.name);
    await admitConnect(context, endpoint, parts, proxyOptions('PodProxyOptions', context.info));
    const pod = (await getObject(stores(pods), context.info.namespace, name, { kind: 'consistent' })).object();
    const address = parseIp(pod.status.podIP ?? '');
    if (address === undefined || !isRoutable(address)) throw badRequest('address not allowed');
    await proxyTo(context, connections, proxyBackend(scheme, pod.status.podIP!, port || firstPort(pod)));
  };
}

/** Empty where no container names a port: then it is that of the scheme. */
function firstPort({ spec }: Pod): string {
  const found = (spec.containers ?? []).map((container) => container.ports?.[0]).find((port) => port !== undefined);
  return found === undefined ? '' : String(found.containerPort);
}
