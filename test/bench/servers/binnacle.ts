import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { EtcdServer } from '../../fixtures/etcd-server.ts';
import { ListeningProcess } from './listening-process.ts';
import { untilReady } from './ready-check.ts';
import type { RunningServer, ServerUnderTest } from './server-under-test.ts';

const readyLine = /ready at (https:\/\/\S+)\s/;

export interface BinnacleOptions {
  readonly name: string;
  /** The program: the bundle, or a module in TypeScript. */
  readonly program: string;
  /** For all data directories of this server. */
  readonly dir: string;
  /** Without one the embedded store. */
  readonly etcd: EtcdServer | undefined;
  /** Beyond those that every run needs. */
  readonly flags?: readonly string[];
}

const ALONE = ['--controllers=', '--scheduler=false', '--simulated-nodes=0'];

/** Without controllers, scheduler and nodes; earlier programs have none, and no options for them. */
function serverAlone(program: string): readonly string[] {
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', program, 'up', '--help'], { encoding: 'utf8' });
  return stdout.includes('--simulated-nodes') ? ALONE : [];
}

export interface RunningBinnacle extends RunningServer {
  /** The administrator's file. */
  readonly kubeconfig: string;
}

/** The project's own server, run as a person runs it. */
export class Binnacle implements ServerUnderTest {
  readonly name: string;
  readonly canRestart = true;
  private readonly options: BinnacleOptions;
  private empties = 0;

  constructor(options: BinnacleOptions) {
    this.name = options.name;
    this.options = options;
  }

  start(): Promise<RunningBinnacle> {
    return this.startIn('data', serverAlone(this.options.program));
  }

  startEmpty(): Promise<RunningBinnacle> {
    return this.startIn(`empty-${++this.empties}`, serverAlone(this.options.program));
  }

  startCluster(nodes: number): Promise<RunningBinnacle> {
    return this.startIn(`empty-${++this.empties}`, ['--simulated-nodes', String(nodes)]);
  }

  async release(): Promise<void> {
    await this.options.etcd?.stop();
  }

  private async startIn(name: string, parts: readonly string[]): Promise<RunningBinnacle> {
    const { program, dir, etcd, flags = [] } = this.options;
    if (!existsSync(program)) throw new Error(`no ${program}: run make build`);
    const dataDir = path.join(dir, name);
    const store =
      etcd === undefined
        ? []
        : [
            '--storage-backend',
            'etcd3',
            '--store-servers',
            etcd.url,
            '--store-prefix',
            `/${path.basename(dir)}-${name}`,
          ];
    const args = [
      ...(program.endsWith('.ts') ? ['--import', 'tsx'] : []),
      program,
      'up',
      '--data-dir',
      dataDir,
      '--secure-port',
      '0',
      ...parts,
      ...store,
      ...flags,
    ];
    const startedAt = performance.now();
    const child = await ListeningProcess.start(args, readyLine);
    try {
      const endpoint = {
        url: child.address,
        token: readFileSync(path.join(dataDir, 'admin-token'), 'utf8').trim(),
        ca: readFileSync(path.join(dataDir, 'pki/ca.crt'), 'utf8'),
      };
      await untilReady(endpoint);
      return {
        endpoint,
        kubeconfig: path.join(dataDir, 'kubeconfig'),
        pid: child.pid,
        readySeconds: (performance.now() - startedAt) / 1000,
        stop: () => child.stop(),
      };
    } catch (error) {
      await child.stop();
      throw error;
    }
  }
}
