import { parseIp } from '../../apimachinery/ip.ts';
import { badRequest, serviceUnavailable } from '../../apimachinery/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { admitConnect } from './admit-connect.ts';
import { podAttachOptions, podExecOptions, podPortForwardOptions, proxyOptions, type ConnectOptions } from './connect-options.ts';
import { unreachableNode } from './node-agent.ts';
import { checkContainer } from './pod-container.ts';
import { proxyTarget } from './proxy-target.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';

const STREAM_OPTIONS: ReadonlyMap<string, (query: URLSearchParams) => ConnectOptions> = new Map([
  ['exec', podExecOptions], ['attach', podAttachOptions], ['portforward', podPortForwardOptions],
]);

/** `exec`, `attach` and `portforward`: streams into a running pod, as far as they come without a node. */
export function handlePodStream(stores: StoreAccess): SubresourceHandler {
  return async (context, endpoint, parts) => {
    const { namespace, name, subresource } = context.info;
    await admitConnect(context, endpoint, parts, STREAM_OPTIONS.get(subresource)!(context.query));
    const pod = (await getObject(endpoint.store, namespace, name, { kind: 'consistent' })).object() as Pod;
    if (subresource !== 'portforward') checkContainer(pod, context.query.get('container') ?? '');
    if (!pod.spec.nodeName) throw badRequest(`pod ${name} does not have a host assigned`);
    throw await unreachableNode(stores, pod.spec.nodeName);
  };
}

/** `pods/<name>/proxy`: HTTP to a port of a pod. */
export const handlePodProxy: SubresourceHandler = async (context, endpoint, parts) => {
  const { name } = proxyTarget('pod', context.info.name);
  await admitConnect(context, endpoint, parts, proxyOptions('PodProxyOptions', context.info.tail));
  const pod = (await getObject(endpoint.store, context.info.namespace, name, { kind: 'consistent' })).object() as Pod;
  if (!isRoutable(pod.status.podIP ?? '')) throw badRequest('address not allowed');
  throw serviceUnavailable(`pod ${JSON.stringify(name)} cannot be reached: this server does not connect to pods`);
};

/** Addresses of this machine and its link must not be reached through the server. */
function isRoutable(ip: string): boolean {
  const bytes = parseIp(ip);
  if (bytes === undefined) return false;
  if (bytes.length === 4) return bytes[0] !== 0 && bytes[0] !== 127 && !(bytes[0] === 169 && bytes[1] === 254) && bytes[0]! < 224;
  const isSmall = bytes.subarray(0, 15).every((b) => b === 0);
  return !isSmall && bytes[0] !== 0xff && !(bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80);
}
