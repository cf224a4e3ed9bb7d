import { leases } from '../api/coordination/tokens.ts';
import { nodes } from '../api/core/tokens.ts';
import type { Clock } from '../apimachinery/clock.ts';
import { isAlreadyExists, isNotFound } from '../apimachinery/errors/status-error.ts';
import { formatMicroTime, formatTime } from '../apimachinery/values/time.ts';
import type { Client } from '../client/rest/client.ts';
import type { Node } from '../generated/types/core-v1.ts';
import { nodeStatus } from './node-status.ts';

const LEASES = 'kube-node-lease';
const LEASE_SECONDS = 40;
const RENEW_MS = 10_000;
/** Renewals of many nodes come together this often: the store makes those of one moment durable at once. */
const TOGETHER_MS = 250;
/** A node that is well says so again after this time. */
const STATUS_MS = 300_000;

export interface NodeAgentOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Address of every node. */
  readonly address: string;
  /** What nodes report as the version of their agent. */
  readonly kubeletVersion: string;
  /** Where the agent of every node answers. */
  readonly port: () => Promise<number>;
}

/** Keeps simulated nodes ready: writes their status, and renews their leases. */
export class NodeAgents {
  private readonly options: NodeAgentOptions;
  /** When each node reported last, by the steady clock. */
  private readonly reported = new Map<string, number>();

  constructor(options: NodeAgentOptions) {
    this.options = options;
  }

  forget(name: string): void {
    this.reported.delete(name);
  }

  /** Reports for a node; gives the milliseconds after which it does so again. */
  async keep(node: Node): Promise<number> {
    const { client, clock, address, kubeletVersion, port } = this.options;
    const name = node.metadata.name!;
    const isReady = node.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    if (!isReady || clock.steadyMs() - (this.reported.get(name) ?? -Infinity) >= STATUS_MS) {
      const now = formatTime(new Date(clock.wallMs()));
      const status = nodeStatus({ node, now, address, kubeletVersion, port: await port() });
      await client.patch(nodes, { name }, 'merge', { status }, { subresource: 'status' });
      this.reported.set(name, clock.steadyMs());
    }
    await this.renewLease(node);
    return RENEW_MS - (clock.steadyMs() % TOGETHER_MS);
  }

  private async renewLease({ metadata }: Node): Promise<void> {
    const { client, clock } = this.options;
    const name = metadata.name!;
    const renewTime = formatMicroTime(new Date(clock.wallMs()));
    try {
      await client.patch(leases, { namespace: LEASES, name }, 'merge', { spec: { renewTime } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const owner = { apiVersion: 'v1', kind: 'Node', name, uid: metadata.uid! };
      const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
      try {
        await client.create(leases, { metadata: { namespace: LEASES, name, ownerReferences: [owner] }, spec });
      } catch (failure) {
        if (!isAlreadyExists(failure)) throw failure;
      }
    }
  }
}
