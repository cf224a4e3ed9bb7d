/**
 * A real etcd cluster of three members on free ports of 127.0.0.1, whose members can be killed and started again one by
 * one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { freePorts } from '../fixtures/free-ports.ts';

const memberCount = 3;
const statusTimeoutMs = 2000;
const leaderTimeoutMs = 30_000;

export class EtcdCluster {
  readonly members: readonly EtcdServer[];

  private constructor(members: readonly EtcdServer[]) {
    this.members = members;
  }

  /** Resolves when the members have elected a leader. */
  static async start(): Promise<EtcdCluster> {
    const peers = (await freePorts(memberCount)).map((port, i) => ({
      name: `member-${i}`,
      url: `http://127.0.0.1:${port}`,
    }));
    const initialCluster = peers.map(({ name, url }) => `${name}=${url}`).join();
    const starting = peers.map(({ name, url }) =>
      EtcdServer.start({
        // Of a flag that is given twice the last counts: these come after those of a single member.
        args: [
          `--name=${name}`,
          `--listen-peer-urls=${url}`,
          `--initial-advertise-peer-urls=${url}`,
          `--initial-cluster=${initialCluster}`,
          '--initial-cluster-token=failover',
          '--heartbeat-interval=100',
          '--election-timeout=1000',
        ],
      }),
    );
    const cluster = new EtcdCluster(await Promise.all(starting));
    try {
      await cluster.leader();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get urls(): string[] {
    return this.members.map((member) => member.url);
  }

  /** The current leader; waits for a running election. */
  async leader(): Promise<EtcdServer> {
    for (const deadline = Date.now() + leaderTimeoutMs; Date.now() < deadline; await sleep(100)) {
      for (const member of this.members) {
        const status = await statusOf(member);
        if (status?.leader !== undefined && status.leader === status.header.member_id) return member;
      }
    }
    throw new Error('the cluster has no leader');
  }

  /** Resolves when all members are up and agree on a leader. */
  async whole(): Promise<void> {
    for (const deadline = Date.now() + leaderTimeoutMs; Date.now() < deadline; await sleep(100)) {
      const states = await Promise.all(this.members.map(statusOf));
      const [first] = states;
      if (first !== undefined && states.every((state) => state?.leader !== undefined && state.leader === first.leader))
        return;
    }
    throw new Error('the cluster did not become whole');
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()));
  }
}

interface MemberStatus {
  readonly header: { readonly member_id: string };
  /** Absent while there is none. */
  readonly leader?: string;
}

/** The status of a member, through etcd's JSON gateway; undefined when it does not answer. */
async function statusOf(member: EtcdServer): Promise<MemberStatus | undefined> {
  try {
    const answer = await fetch(`${member.url}/v3/maintenance/status`, {
      method: 'POST',
      body: '{}',
      signal: AbortSignal.timeout(statusTimeoutMs),
    });
    return answer.ok ? ((await answer.json()) as MemberStatus) : undefined;
  } catch {
    return undefined;
  }
}
