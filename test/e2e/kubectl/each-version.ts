/** Runs one suite with every kubectl: one server per version for all suites, one namespace per suite. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../../fixtures/binnacle-process.ts';
import { Kubectl, kubectlVersions, type KubectlVersion } from './kubectl.ts';

/** What a suite's tests work with. */
export interface Bench {
  readonly kubectl: Kubectl;
  /** For what kubectl doesn't do: the part of controllers and node agents. */
  readonly api: ApiClient;
  readonly server: BinnacleProcess;
}

interface Station {
  readonly server: BinnacleProcess;
  readonly api: ApiClient;
  readonly home: string;
}

const stations = new Map<KubectlVersion, Promise<Station>>();

async function open(): Promise<Station> {
  const home = mkdtempSync(join(tmpdir(), 'binnacle-kubectl-'));
  const server = await startBinnacle();
  return { server, api: new ApiClient(server.url, server.token), home };
}

async function closeAll(): Promise<void> {
  const open = await Promise.all(stations.values());
  stations.clear();
  for (const { server, api, home } of open) {
    api.close();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
    assert.doesNotMatch(server.output, /unexpected error/, server.output);
  }
}

let closes = false;

/**
 * Declares a suite once per kubectl version. `tests` gets a function that is valid inside of hooks and tests. `name` is
 * also the name of the suite's namespace: objects outside of namespaces start with it, since all suites share the
 * server.
 */
export function eachKubectl(name: string, tests: (bench: () => Bench) => void): void {
  // At the top level of a file, so that it belongs to the root suite and runs after all.
  if (!closes) after('stop the servers', closeAll);
  closes = true;
  for (const version of kubectlVersions) {
    describe(`kubectl ${version}: ${name}`, function () {
      this.timeout(60_000);
      let bench: Bench;
      before(async () => {
        if (!stations.has(version)) stations.set(version, open());
        const { server, api, home } = await stations.get(version)!;
        const kubectl = new Kubectl({ version, kubeconfig: server.kubeconfig, namespace: name, home });
        bench = { kubectl, api, server };
        assert.equal(await kubectl.ok`create namespace ${name}`, `namespace/${name} created\n`);
      });
      tests(() => bench);
    });
  }
}
