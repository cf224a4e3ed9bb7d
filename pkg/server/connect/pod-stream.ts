import { pods } from '../../api/core/tokens.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { badRequest } from '../../apimachinery/errors/status-error.ts';
import type { PodExecOptions, PodPortForwardOptions } from '../../generated/types/core-v1.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { Connections } from '../connections/connections.ts';
import { forwardUpgrade } from '../connections/forward-upgrade.ts';
import { pendingUpgrade } from '../connections/pending-upgrade.ts';
import { admitConnect } from './admit-connect.ts';
import { podAttachOptions, podExecOptions, podPortForwardOptions } from './connect-options.ts';
import { chosenContainer } from './pod-container.ts';
import type { SubresourceHandler } from '../subresources/subresource-handlers.ts';

/**
 * `exec`, `attach` and `portforward`: streams into a running pod, over a protocol that the client and the agent of the
 * pod's node agree on.
 */
export function handlePodStream(stores: StoreAccess, connections: Connections): SubresourceHandler {
  return async (context, endpoint, parts) => {
    const { namespace, name, subresource } = context.info;
    const options = streamOptions(subresource, context.query);
    await admitConnect(context, endpoint, parts, options);
    const pod = (await getObject(stores(pods), namespace, name, { kind: 'consistent' })).object();
    const place = [namespace, name, ...(isPortForward(options) ? [] : [chosenContainer(pod, options.container ?? '')])];
    if (!pod.spec.nodeName) throw badRequest(`pod ${name} does not have a host assigned`);
    const backend = await connections.agents.find(pod.spec.nodeName);
    const client = pendingUpgrade(context.request);
    if (client === undefined) throw badRequest('Upgrade request required');
    const path = `/${agentPaths.get(subresource)}/${place.map(encodeURIComponent).join('/')}${agentQuery(options)}`;
    await forwardUpgrade(context, connections, client, { backend, path });
  };
}

type StreamOptions = PodExecOptions | PodPortForwardOptions;

const agentPaths: ReadonlyMap<string, string> = new Map([
  ['exec', 'exec'],
  ['attach', 'attach'],
  ['portforward', 'portForward'],
]);

function streamOptions(subresource: string, query: URLSearchParams): StreamOptions {
  if (subresource === 'exec') return podExecOptions(query);
  return subresource === 'attach' ? podAttachOptions(query) : podPortForwardOptions(query);
}

function isPortForward(options: StreamOptions): options is PodPortForwardOptions {
  return options.kind === 'PodPortForwardOptions';
}

/** The options as agents read them. */
function agentQuery(options: StreamOptions): string {
  const query = new URLSearchParams();
  if (isPortForward(options)) {
    if (options.ports !== undefined) query.append('port', options.ports.join(','));
  } else {
    for (const [name, isOn] of [
      ['input', options.stdin],
      ['output', options.stdout],
      ['error', options.stderr],
      ['tty', options.tty],
    ] as const)
      if (isOn === true) query.append(name, '1');
    for (const part of options.command ?? []) query.append('command', part);
  }
  return query.size === 0 ? '' : `?${query}`;
}
