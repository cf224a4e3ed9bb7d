/** A cluster in which things happen, for the tests of one file: `binnacle up` with controllers, scheduler and nodes. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBinnacle, type BinnacleProcess } from '../../fixtures/binnacle-process.ts';
import { PATIENCE_MS, until } from '../../fixtures/until.ts';
import { Kubectl, type KubectlVersion } from '../kubectl/kubectl.ts';

const NODES = 3;
const NEWEST: KubectlVersion = '1.35';

export class MovingCluster {
  readonly server: BinnacleProcess;
  /** Home directory of the programs that are run, with room for files of a test. */
  readonly home: string;

  constructor(server: BinnacleProcess, home: string) {
    this.server = server;
    this.home = home;
  }

  /** kubectl in a namespace that exists. */
  kubectl(namespace: string, version = NEWEST): Kubectl {
    return new Kubectl({ version, kubeconfig: this.server.kubeconfig, namespace, home: this.home });
  }

  /** kubectl in a namespace that is made for it, where pods can be created. */
  async inNew(namespace: string, version = NEWEST): Promise<Kubectl> {
    const kubectl = this.kubectl(namespace, version);
    await kubectl.ok`create namespace ${namespace}`;
    await eventually(async () => (await kubectl.run`get serviceaccount default`).status === 0, 'a default account');
    return kubectl;
  }
}

/** Starts the cluster before the tests of a suite and stops it after them; valid inside of hooks and tests. */
export function movingCluster(...args: readonly string[]): () => MovingCluster {
  let cluster: MovingCluster | undefined;
  before('start the cluster', async () => {
    const server = await startBinnacle([`--simulated-nodes=${NODES}`, ...args]);
    cluster = new MovingCluster(server, mkdtempSync(join(tmpdir(), 'binnacle-cluster-')));
  });
  after('stop the cluster', async () => {
    if (cluster === undefined) return;
    const { server, home } = cluster;
    await server.stop();
    rmSync(home, { recursive: true, force: true });
    // Neither defects of the program nor calls that its own controllers may not make.
    assert.doesNotMatch(server.output, /unexpected error|^ +at .*\.js:|is forbidden: User/m, server.output);
  });
  return () => cluster!;
}

/** Longer than elsewhere: each look runs a program. */
const POLL_MS = 100;

/** Waits for something that comes by itself, `what`. */
export function eventually(holds: () => Promise<boolean>, what: string, patienceMs = PATIENCE_MS): Promise<void> {
  return until(holds, what, { patienceMs, pollMs: POLL_MS });
}
