import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../fuzz/mutate.ts';
import { LEASE_MS, type ManagedCluster } from './managed-cluster.ts';

/** One thing that goes wrong, and is over when it resolves. */
export interface Fault {
  readonly name: string;
  readonly run: (cluster: ManagedCluster, random: Random) => Promise<void>;
}

const BEYOND_LEASE_MS = LEASE_MS + 2000;

export const faults: readonly Fault[] = [
  {
    name: 'the leader is killed',
    async run(cluster) {
      const { process } = cluster.managers[await cluster.untilLed()]!;
      process.signal('SIGKILL');
      await process.ended();
    },
  },
  {
    name: 'a server is killed',
    async run(cluster, random) {
      const server = random.pick(cluster.servers);
      await server.kill();
      await sleep(random.below(1000));
      await server.restart();
    },
  },
  {
    name: 'the leader is paused',
    async run(cluster) {
      const paused = await cluster.untilLed();
      const { process } = cluster.managers[paused]!;
      process.signal('SIGSTOP');
      try {
        await cluster.untilLed(paused);
      } finally {
        process.signal('SIGCONT');
      }
      assert.equal(await process.ended(), 1, process.output.slice(-2000));
    },
  },
  {
    name: 'the leader reaches no server',
    async run(cluster) {
      const { front, process } = cluster.managers[await cluster.untilLed()]!;
      front.block();
      await sleep(BEYOND_LEASE_MS);
      front.unblock();
      assert.equal(await process.ended(), 1, process.output.slice(-2000));
    },
  },
  {
    name: 'servers restart one after another',
    async run(cluster) {
      for (const server of cluster.servers) await server.restart();
    },
  },
  {
    name: 'the store hangs',
    async run(cluster) {
      cluster.etcd.freeze();
      await sleep(2000);
      cluster.etcd.thaw();
    },
  },
];
