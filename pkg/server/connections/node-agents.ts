import { nodes } from '../../api/core/tokens.ts';
import { plainInternal } from '../../apimachinery/errors/status-error.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import type { Backend } from './backend.ts';
import type { NodeAgentSettings } from './node-agent-settings.ts';

/** Finds the agents of nodes: each runs on its node and manages the containers there. */
export class NodeAgents {
  private readonly stores: StoreAccess;
  private readonly settings: NodeAgentSettings;

  constructor(stores: StoreAccess, settings: NodeAgentSettings) {
    this.stores = stores;
    this.settings = settings;
  }

  /**
   * The agent of a node, from the node's status. Throws 404 for an unknown node, 500 for one without an address of a
   * preferred kind.
   */
  async find(nodeName: string): Promise<Backend> {
    const { status } = (await getObject(this.stores(nodes), '', nodeName, { kind: 'consistent' })).object();
    const { https, addressTypes, port, dialTimeoutMs, tls } = this.settings;
    const known = status.addresses ?? [];
    const wanted = addressTypes
      .map((type) => known.find((address) => address.type === type))
      .find((address) => address !== undefined);
    if (wanted === undefined) {
      throw plainInternal(
        `no preferred addresses found; known addresses: [${known.map(({ type, address }) => `{${type} ${address}}`).join(' ')}]`,
      );
    }
    return {
      scheme: https ? 'https' : 'http',
      host: wanted.address,
      port: Number(status.daemonEndpoints?.kubeletEndpoint?.Port) || port,
      isTrusted: true,
      tls: tls(),
      dialTimeoutMs,
    };
  }
}

/** The same agent without verification of its certificate; the server still sends its own. */
export function unverified({ tls: { certificate, key } = {}, ...agent }: Backend): Backend {
  return { ...agent, tls: { certificate, key } };
}
