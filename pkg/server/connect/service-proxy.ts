import { services } from '../../api/core/tokens.ts';
import { serviceUnavailable } from '../../apimachinery/errors/status-error.ts';
import type { Service } from '../../generated/types/core-v1.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import type { Connections } from '../connections/connections.ts';
import { admitConnect } from './admit-connect.ts';
import { proxyOptions } from './connect-options.ts';
import { proxyBackend } from './proxy-backend.ts';
import { proxyTarget } from './proxy-target.ts';
import { proxyTo } from './proxy-to.ts';
import { readyEndpoint } from './ready-endpoint.ts';
import type { SubresourceHandler } from '../subresources/subresource-handlers.ts';

/** `services/<name>/proxy`: HTTP to one of the pods behind a service. */
export function handleServiceProxy(stores: StoreAccess, connections: Connections): SubresourceHandler {
  return async (context, endpoint, parts) => {
    const { namespace, name: id } = context.info;
    const { scheme, name, port } = proxyTarget('service', id);
    await admitConnect(context, endpoint, parts, proxyOptions('ServiceProxyOptions', context.info));
    const portName = /^[-+]?\d+$/.test(port) ? await portNameOf(stores(services), namespace, name, Number(port)) : port;
    const { address, port: endpointPort } = await readyEndpoint(stores, namespace, { id, name, portName });
    await proxyTo(context, connections, proxyBackend(scheme, address, String(endpointPort)));
  };
}

async function portNameOf(
  store: ResourceStore<Service>,
  namespace: string,
  name: string,
  port: number,
): Promise<string> {
  const service = (await getObject(store, namespace, name, { kind: 'consistent' })).object();
  const found = (service.spec.ports ?? []).find((p) => p.port === port);
  if (found === undefined)
    throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return found.name ?? '';
}
