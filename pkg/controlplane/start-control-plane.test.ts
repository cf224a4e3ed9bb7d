import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '../codec/yaml.ts';
import { Logger } from '../logging/logger.ts';
import { apiServerOptions } from '../options/api-server-options.ts';
import { OptionsError } from '../options/options-error.ts';
import { readOptions } from '../options/parse-options.ts';
import { readConfig } from './config/read-config.ts';
import { startControlPlane, type ControlPlane } from './start-control-plane.ts';

describe('startControlPlane', () => {
  let dir: string;
  let errors: string[];
  const started: ControlPlane[] = [];
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-control-plane-'));
    errors = [];
  });
  afterEach(async () => {
    for (const running of started.splice(0)) await running.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function start(name: string, port: number, ...args: string[]): Promise<ControlPlane> {
    const options = readOptions(apiServerOptions, 'up', [`--secure-port=${port}`, '--bind-address=127.0.0.1', ...args]);
    const running = await startControlPlane(readConfig(options, { dir: path.join(dir, name) }), {
      workerFile: fileURLToPath(new URL('../workers/worker.ts', import.meta.url)),
      logger: Logger.open({ verbosity: 0, destination: { write: () => undefined } }),
      onError: (error, where) => errors.push(`${where}: ${(error as Error).message}`),
    });
    started.push(running);
    return running;
  }

  it('returns a handle with a kubeconfig, as a file and as an object', async () => {
    const { kubeconfig, url, token } = await start('a', 0);
    assert.deepEqual(parseYaml(readFileSync(kubeconfig.path, 'utf8')), kubeconfig.object);
    const { clusters, users } = kubeconfig.object as {
      clusters: { cluster: { server: string } }[];
      users: { user: { token: string } }[];
    };
    assert.deepEqual([clusters[0]!.cluster.server, users[0]!.user.token], [url, token]);
  });

  it('closes what was open when a step fails: the next start finds the store free', async () => {
    const port = Number(new URL((await start('a', 0)).url).port);
    await assert.rejects(start('b', port), { code: 'EADDRINUSE' });
    assert.deepEqual(errors, []);
    await start('b', 0);
  });

  it('closes the stores when a step after them fails, and says which option was wrong', async () => {
    writeFileSync(
      path.join(dir, 'policy'),
      '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}',
    );
    writeFileSync(path.join(dir, 'file'), '');
    const audit = [`--audit-policy-file=${dir}/policy`, `--audit-log-path=${dir}/file/below`];
    await assert.rejects(
      start('a', 0, ...audit),
      (error) => error instanceof OptionsError && error.problems[0]!.startsWith('--audit-log-path='),
    );
    await start('a', 0);
  });

  it('reports a part that cannot be closed, and closes the others', async () => {
    const running = await start('a', 0);
    started.pop();
    const { stores } = running.server;
    const stop = stores.stop.bind(stores);
    stores.stop = async () => {
      await stop();
      throw new Error('stuck');
    };
    await assert.rejects(running.stop(), { message: 'stuck' });
    assert.deepEqual(errors, ['stopping the control plane: stuck']);
    await start('a', 0);
  });
});
