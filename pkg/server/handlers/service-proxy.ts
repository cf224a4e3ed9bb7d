import { serviceUnavailable } from '../../apimachinery/status-error.ts';
import type { Endpoints, Service } from '../../generated/types/core-v1.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { admitConnect } from './admit-connect.ts';
import { proxyOptions } from './connect-options.ts';
import { proxyTarget } from './proxy-target.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';

/** `services/<name>/proxy`: HTTP to one of the endpoints of a service. */
export function handleServiceProxy(stores: StoreAccess): SubresourceHandler {
  return async (context, endpoint, parts) => {
    const { namespace, name: id } = context.info;
    const { name, port } = proxyTarget('service', id);
    await admitConnect(context, endpoint, parts, proxyOptions('ServiceProxyOptions', context.info.tail));
    const portName = /^[-+]?\d+$/.test(port) ? await portNameOf(endpoint.store, namespace, name, Number(port)) : port;
    const endpoints = (await getObject(stores('endpoints'), namespace, name, { kind: 'consistent' })).object() as Endpoints;
    const isServed = (endpoints.subsets ?? []).some((s) => (s.addresses ?? []).length > 0 && (s.ports ?? []).some((p) => (p.name ?? '') === portName));
    if (!isServed) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify((endpoints.subsets ?? []).length === 0 ? name : id)}`);
    throw serviceUnavailable(`service ${JSON.stringify(name)} cannot be reached: this server does not connect to pods`);
  };
}

async function portNameOf(services: ResourceStore, namespace: string, name: string, port: number): Promise<string> {
  const service = (await getObject(services, namespace, name, { kind: 'consistent' })).object() as Service;
  const found = (service.spec.ports ?? []).find((p) => p.port === port);
  if (found === undefined) throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return found.name ?? '';
}
