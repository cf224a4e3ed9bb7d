import type { Socket } from 'node:net';
import { tooManyRequests } from '../../apimachinery/errors/status-error.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import type { Backend } from './backend.ts';
import { dial } from './dial.ts';
import { hostNetwork, type Network } from './network.ts';
import { NodeAgents } from './node-agents.ts';
import type { NodeAgentSettings } from './node-agent-settings.ts';

export interface ConnectionsOptions {
  readonly stores: StoreAccess;
  readonly agents: NodeAgentSettings;
  /** Default: that of this machine. */
  readonly network?: Network | undefined;
  /** Open at once; default 4,096. Each holds two sockets and their buffers. */
  readonly connectionsMax?: number;
}

const CONNECTIONS_MAX = 4096;
const RETRY_SECONDS = 1;

/**
 * The server's connections to nodes and pods. Each is opened for one request and closed with it: none is used again, so
 * that nothing left on one, such as a refused upgrade, can reach another client.
 */
export class Connections {
  readonly agents: NodeAgents;
  private readonly network: Network;
  private readonly connectionsMax: number;
  private opened = 0;

  constructor({ stores, agents, network = hostNetwork, connectionsMax = CONNECTIONS_MAX }: ConnectionsOptions) {
    this.agents = new NodeAgents(stores, agents);
    this.network = network;
    this.connectionsMax = connectionsMax;
  }

  get size(): number {
    return this.opened;
  }

  /** Throws 429 while too many are open, 400 for an address that must not be reached, and `DialError`. */
  async open(backend: Backend): Promise<Socket> {
    if (this.opened >= this.connectionsMax)
      throw tooManyRequests(
        `${this.connectionsMax} connections to nodes are open, please try again later`,
        RETRY_SECONDS,
      );
    this.opened++;
    try {
      const socket = await dial(this.network, backend);
      if (socket.destroyed) this.opened--;
      else socket.once('close', () => this.opened--);
      return socket;
    } catch (error) {
      this.opened--;
      throw error;
    }
  }
}
