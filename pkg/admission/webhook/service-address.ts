import { endpoints, services } from '../../api/core/tokens.ts';
import type { HostPort } from '../../webhooks/webhook-client.ts';
import type { ObjectLookup } from '../object-lookup.ts';

/** A service's port, as webhooks name it. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/**
 * The present address of a service: its cluster IP or, `toEndpoints`, one of its endpoints. Throws Error in the words
 * of stock servers.
 */
export async function serviceAddress(
  { namespace, name, port }: ServicePort,
  toEndpoints: boolean,
  lookup: ObjectLookup,
): Promise<HostPort> {
  const service = await lookup.get(services, namespace, name);
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const { type = 'ClusterIP', clusterIP = '', externalName = '' } = service.spec ?? {};
  if (type === 'ExternalName' && !toEndpoints) return { host: externalName, port };
  const found = service.spec?.ports?.find((one) => one.port === port);
  if (found === undefined) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  if (toEndpoints) return endpointOf(namespace, name, found.name ?? '', lookup);
  if (type === 'ExternalName' || clusterIP === '' || clusterIP === 'None')
    throw new Error(`cannot route to service with ClusterIP ${JSON.stringify(clusterIP)}`);
  return { host: clusterIP, port };
}

async function endpointOf(namespace: string, name: string, portName: string, lookup: ObjectLookup): Promise<HostPort> {
  const found = await lookup.get(endpoints, namespace, name);
  const ready = (found?.subsets ?? []).flatMap(({ addresses = [], ports = [] }) => {
    const port = ports.find((one) => (one.name ?? '') === portName)?.port;
    return port === undefined ? [] : addresses.map(({ ip }): HostPort => ({ host: ip, port }));
  });
  const chosen = ready[Math.floor(Math.random() * ready.length)];
  if (chosen === undefined) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
  return chosen;
}
