import type { ServerLeases } from '../controllers/kubernetes-service/server-leases.ts';
import type { Endpoints } from '../generated/types/core-v1.ts';
import type { ResourceStore } from '../registry/resource-store.ts';

/** Where stock servers keep the leases; the address is the last segment. */
const PREFIX = 'masterleases/';
const ATTEMPTS_MAX = 5;

/**
 * Which servers are alive: a key per address in the store, which vanishes unless its server renews it. Readable by
 * stock servers and the other way round.
 */
export class MasterLeases implements ServerLeases {
  private readonly endpoints: ResourceStore<Endpoints>;
  private readonly ttlSeconds: number;

  /** `endpoints` is the store of Endpoints, whose form the values have. */
  constructor(endpoints: ResourceStore<Endpoints>, ttlSeconds: number) {
    this.endpoints = endpoints;
    this.ttlSeconds = ttlSeconds;
  }

  /** Says for `ttlSeconds` that the server at this address is alive. */
  async renew(ip: string): Promise<void> {
    const { backend, codec } = this.endpoints;
    const key = PREFIX + ip;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const current = await backend.get(key);
      const generation =
        current === undefined
          ? 0
          : ((codec.decode(current.value, current.modRevision).metadata.generation as number | undefined) ?? 0);
      // The generation makes each renewal another value: a store may leave out writes that change nothing.
      const lease: Endpoints = {
        kind: 'Endpoints',
        apiVersion: 'v1',
        metadata: { generation: generation + 1 },
        subsets: [{ addresses: [{ ip }] }],
      };
      const result = await backend.commit(key, {
        expectRevision: current?.modRevision ?? 0,
        value: codec.encode(lease),
        ttlSeconds: this.ttlSeconds,
      });
      if (result.ok) return;
    }
    throw new Error(`the lease of ${ip} changes faster than it can be renewed`);
  }

  async remove(ip: string): Promise<void> {
    const { backend } = this.endpoints;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const current = await backend.get(PREFIX + ip);
      if (current === undefined) return;
      if ((await backend.commit(PREFIX + ip, { expectRevision: current.modRevision })).ok) return;
    }
    throw new Error(`the lease of ${ip} changes faster than it can be removed`);
  }

  /** Addresses of the servers that are alive. */
  async addresses(): Promise<string[]> {
    const { items } = await this.endpoints.backend.range(PREFIX);
    return items.map(({ key }) => key.slice(PREFIX.length));
  }
}
