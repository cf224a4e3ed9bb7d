/** The package as `npm pack` makes it, in a fresh project: its types, and a cluster in each of the test runners. */
import assert from 'node:assert/strict';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FreshProject, type Outcome } from './fresh-project.ts';

/** Bytes; 1.7 MB when this was written. */
const TARBALL_BYTES_MAX = 2.2 * 1024 * 1024;
const VM_MODULES = '--experimental-vm-modules';

describe('the package', function () {
  this.timeout(240_000);
  let project: FreshProject;

  before(() => {
    project = new FreshProject();
  });
  after(() => project?.remove());

  const passes = async (args: readonly string[], nodeOptions?: string): Promise<void> => {
    const { ended, output } = await project.run(args, nodeOptions === undefined ? {} : { nodeOptions });
    assert.equal(ended, 0, output);
    assert.deepEqual(project.clusterDirs(), []);
  };
  const script = (text: string, options: { interruptAt?: string } = {}): Promise<Outcome> => {
    const file = path.join(project.dir, 'script.mjs');
    writeFileSync(file, `import { startControlPlane } from 'binnacle';\n${text}\n`);
    return project.run([file], options);
  };

  it('has the bundle alone, without source maps, and is small', () => {
    const others = project.files.map((file) => file.path).filter((file) => !/^dist\/[\w-]+\.c?js$/.test(file));
    assert.deepEqual(others.sort(), [
      'LICENSE',
      'README.md',
      'dist/index.d.cts',
      'dist/index.d.ts',
      'dist/third-party-licenses.txt',
      'package.json',
    ]);
    assert.ok(project.tarballBytes < TARBALL_BYTES_MAX, `${project.tarballBytes} bytes`);
  });

  it('brings what is not bundled, and nothing that is', () => {
    const modules = readdirSync(path.join(project.dir, 'node_modules'));
    for (const needed of ['lmdb', 'fs-native-extensions', 'piscina']) assert.ok(modules.includes(needed), needed);
    for (const bundled of ['fastify', 'pino', 'prom-client', 'sorted-btree', '@peculiar'])
      assert.ok(!modules.includes(bundled), bundled);
  });

  it('has types for strict projects, also for CommonJS', () => passes(['node_modules/typescript/bin/tsc', '-p', '.']));

  it('runs in vitest', () => passes(['node_modules/vitest/vitest.mjs', 'run', 'vitest.spec.ts']));

  it('runs in jest, with ES modules', () =>
    passes(['node_modules/jest/bin/jest.js', '-c', 'jest-esm.config.json'], VM_MODULES));

  it('runs in jest, with CommonJS', () => passes(['node_modules/jest/bin/jest.js', '-c', 'jest-cjs.config.json']));

  it('runs in mocha', () => passes(['--import', 'tsx', 'node_modules/mocha/bin/mocha.js', 'mocha.spec.ts']));

  it('runs in node:test, with the operator of the documentation', () =>
    passes(['--import', 'tsx', '--test', 'site-operator.test.ts']));

  it('can be required', () => passes(['--import', 'tsx', 'require.cts']));

  it('finds its worker threads', async () => {
    const { ended, output } = await project.run(['--import', 'tsx', 'large-yaml.ts']);
    assert.deepEqual([ended, output], [0, '201 binnacle_pool_tasks_total{place="thread",pool="codec"} 1\n']);
  });

  it('runs the command', async () => {
    const { ended, output } = await project.run(['node_modules/.bin/binnacle', 'version']);
    assert.equal(ended, 0, output);
  });

  it('leaves nothing behind when a process ends without stopping its cluster', async () => {
    const exited = await script('await startControlPlane(); process.exit(3);');
    assert.deepEqual([exited.ended, project.clusterDirs()], [3, []], exited.output);
    const failed = await script("await startControlPlane(); throw new Error('as a test may');");
    assert.deepEqual([failed.ended, project.clusterDirs()], [1, []], failed.output);
  });

  it('removes what a killed process left behind at the next start, and what runs stays', async () => {
    const killed = await script("await startControlPlane(); process.kill(process.pid, 'SIGKILL');");
    const interrupted = await script('await startControlPlane(); console.log("ready");', { interruptAt: 'ready' });
    assert.deepEqual([killed.ended, interrupted.ended], ['SIGKILL', 'SIGINT']);
    assert.equal(project.clusterDirs().length, 2);
    // No start within a minute of another takes its directory for abandoned.
    await script('await (await startControlPlane()).stop();');
    assert.equal(project.clusterDirs().length, 2);
    const old = new Date(Date.now() - 3_600_000);
    for (const dir of project.clusterDirs())
      utimesSync(path.join(project.temporary, dir, 'store/owner.lock'), old, old);
    await script('await (await startControlPlane()).stop();');
    assert.deepEqual(project.clusterDirs(), []);
  });
});
