import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { leases } from '../../../pkg/api/coordination/tokens.ts';
import { RestClient } from '../../../pkg/client/rest/rest-client.ts';
import { startBinnacle, type BinnacleProcess } from '../../fixtures/binnacle-process.ts';
import { EtcdServer } from '../../fixtures/etcd-server.ts';
import { startProgramProcess, type ProgramProcess } from '../../fixtures/manager-process.ts';
import { TcpProxy } from '../../fixtures/tcp-proxy.ts';

export const LEASE_MS = 6000;
const ELECTION = [
  `--leader-elect-lease-duration=${LEASE_MS / 1000}s`,
  '--leader-elect-renew-deadline=5s',
  '--leader-elect-retry-period=500ms',
];
const SERVERS = 3;
/** Long enough for a busy machine. */
const LED_WITHIN_MS = 60_000;

/** A program and its way to the servers, which leads each new connection to the next one of them. */
export interface RunningProgram {
  readonly front: TcpProxy;
  readonly process: ProgramProcess;
  /** Another one of its kind. */
  readonly startAgain: () => Promise<RunningProgram>;
}

/**
 * One etcd, three servers, two managers, a scheduler and simulated nodes: processes of their own. Managers and
 * scheduler act as the users that stock roles are for, and each controller as its own account.
 */
export class ManagedCluster {
  readonly etcd: EtcdServer;
  readonly servers: readonly BinnacleProcess[];
  /** Of the test itself, an administrator: through any server that answers. */
  readonly client: RestClient;
  readonly managers: RunningProgram[] = [];
  /** Managers that were started so far. */
  managersStarted = 0;
  private readonly dir: string;
  private readonly others: RunningProgram[] = [];
  private readonly clientFront: TcpProxy;

  private constructor(dir: string, etcd: EtcdServer, servers: readonly BinnacleProcess[], clientFront: TcpProxy) {
    this.dir = dir;
    this.etcd = etcd;
    this.servers = servers;
    this.clientFront = clientFront;
    const server = new URL(`https://127.0.0.1:${clientFront.port}`);
    this.client = new RestClient(
      { server, insecureSkipTlsVerify: true, credentials: { token: 'admin-token' } },
      { timeoutMs: 10_000 },
    );
  }

  static async start(): Promise<ManagedCluster> {
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-managed-'));
    const etcd = await EtcdServer.start();
    const common = serverArguments(dir, etcd.url);
    const starts = Array.from({ length: SERVERS }, (_, i) => [
      ...common,
      `--advertise-address=192.0.2.${i + 1}`,
      `--audit-log-path=${auditLog(dir, i)}`,
    ]);
    const servers = await Promise.all(starts.map((args) => startBinnacle(args)));
    const cluster = new ManagedCluster(dir, etcd, servers, await frontOf(servers));
    try {
      await cluster.startPrograms();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Index of the manager that holds the lock; undefined while none of those that run does. */
  async leader(): Promise<number | undefined> {
    const name = { namespace: 'kube-system', name: 'kube-controller-manager' };
    const holder = (await this.client.get(leases, name)).spec?.holderIdentity ?? '';
    const index = this.managers.findIndex(
      ({ process }) => process.status === null && identityOf(process) === holder && holder !== '',
    );
    return index < 0 ? undefined : index;
  }

  /** Waits for a manager to lead; its index. Those that end meanwhile, on a busy machine, are replaced. */
  async untilLed(except?: number): Promise<number> {
    for (const deadline = performance.now() + LED_WITHIN_MS; ; await sleep(100)) {
      const leader = await this.leader().catch(() => undefined);
      if (leader !== undefined && leader !== except) return leader;
      assert.ok(performance.now() < deadline, 'no manager leads');
      await this.replaceEnded();
    }
  }

  /** Starts another program for each that has ended: killed, or since it could not renew its lease. */
  async replaceEnded(): Promise<void> {
    for (const programs of [this.managers, this.others]) {
      for (const [i, { front, process, startAgain }] of programs.entries()) {
        if (process.status === null && process.endedBy === null) continue;
        await front.stop();
        programs[i] = await startAgain();
      }
    }
  }

  auditLogs(): readonly string[] {
    return this.servers.map((_, i) => auditLog(this.dir, i));
  }

  async stop(): Promise<void> {
    this.etcd.thaw();
    const programs = [...this.managers, ...this.others];
    await Promise.all(programs.map(({ process }) => process.stop()));
    this.client.close();
    await Promise.all([...programs.map(({ front }) => front.stop()), this.clientFront.stop()]);
    await Promise.all(this.servers.map((server) => server.stop()));
    await this.etcd.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  private async startPrograms(): Promise<void> {
    const manager = ['--port=0', '--use-service-account-credentials'];
    for (let i = 0; i < 2; i++) this.managers.push(await this.startProgram('controller-manager', 'manager', manager));
    this.others.push(await this.startProgram('scheduler', 'scheduler', []));
    this.others.push(await this.startProgram('simulate-nodes', 'admin', ['--simulated-nodes=4']));
    await this.untilLed();
  }

  private async startProgram(command: string, user: string, more: readonly string[]): Promise<RunningProgram> {
    const startAgain = (): Promise<RunningProgram> => this.startProgram(command, user, more);
    const front = await frontOf(this.servers);
    const kubeconfig = path.join(this.dir, `kubeconfig-${front.port}`);
    writeFileSync(kubeconfig, kubeconfigOf(`https://127.0.0.1:${front.port}`, `${user}-token`));
    const rate = ['--cluster-api-qps=300', '--cluster-api-burst=600'];
    const args = [command, `--kubeconfig=${kubeconfig}`, '--secure-port=0', '--cert-dir=', ...ELECTION, ...rate];
    if (command === 'controller-manager') this.managersStarted++;
    return { front, process: await startProgramProcess([...args, ...more], 'the leader is'), startAgain };
  }
}

/** Each new connection goes to the next server, whether it lives or not. */
async function frontOf(servers: readonly BinnacleProcess[]): Promise<TcpProxy> {
  let next = 0;
  return TcpProxy.start(() => Number(new URL(servers[next++ % servers.length]!.url).port));
}

function auditLog(dir: string, server: number): string {
  return path.join(dir, `audit-${server}.log`);
}

function serverArguments(dir: string, etcd: string): readonly string[] {
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = file('accounts.key', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  const users = [
    'admin-token,admin,1,system:masters',
    'manager-token,system:kube-controller-manager,2,',
    'scheduler-token,system:kube-scheduler,3,',
  ];
  const policy =
    'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n';
  return [
    '--storage-backend=etcd3',
    `--store-servers=${etcd}`,
    '--authorization-mode=Node,RBAC',
    // Pods wait for the account of their namespace.
    '--disable-admission-plugins=',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    `--token-auth-file=${file('tokens', `${users.join('\n')}\n`)}`,
    `--audit-policy-file=${file('audit.yaml', policy)}`,
  ];
}

function kubeconfigOf(server: string, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token } }],
  });
}

/** As a manager that has led says; empty before. */
function identityOf({ output }: ProgramProcess): string {
  return /"identity":"([^"]+)","msg":"leading"/.exec(output)?.[1] ?? '';
}
