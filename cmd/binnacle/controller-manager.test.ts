import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { controllerManagerOptions } from '../../pkg/options/controller-manager-options.ts';
import { runCommand } from './run-command-testing.ts';

describe('binnacle controller-manager', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-manager-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const problems = async (command: string, ...args: string[]): Promise<string[]> => {
    const { status, stdout, stderr } = await runCommand([command, ...args], { cwd: dir });
    assert.deepEqual([status, stdout.toString()], [2, ''], stderr);
    return stderr
      .trim()
      .split('\n')
      .map((line) => line.replace(`binnacle ${command}: `, '').replaceAll(dir, ''));
  };

  it('reports all that is wrong with its options together', async () => {
    const some = path.join(dir, 'some.pem');
    writeFileSync(some, 'x');
    const config = path.join(dir, 'config');
    writeFileSync(config, 'kind: Config\n');
    assert.deepEqual(
      (
        await problems(
          'controller-manager',
          '--controllers=nobody',
          '--nonsense',
          '--leader-elect-renew-deadline=20s',
          `--client-ca-file=${some}`,
          `--kubeconfig=${config}`,
          '--secure-port=70000',
        )
      ).sort(),
      [
        '--client-ca-file=/some.pem: holds no PEM certificate',
        '--clusterconfig=/config: current-context is not set',
        '--controllers=nobody: must be *, the name of a controller, or - and such a name',
        '--leader-elect-lease-duration=15s: must be longer than --leader-elect-renew-deadline=20s',
        '--secure-port=70000: must be a port from 0 to 65535',
        'unknown option --nonsense',
      ],
    );
  }).timeout(30_000);

  it('needs a way to an API server', async () => {
    for (const command of ['controller-manager', 'scheduler', 'simulate-nodes'])
      assert.match((await problems(command)).join('\n'), /--clusterconfig: .*this is no pod/);
  }).timeout(60_000);

  it('lists every option and controller', async () => {
    const { status, stdout } = await runCommand(['controller-manager', '--help']);
    const text = stdout.toString();
    assert.equal(status, 0);
    for (const { name } of controllerManagerOptions) assert.ok(text.includes(`\n  --${name} `), name);
    assert.match(text, /deployment-controller \(also deployment\)/);
    assert.match(text, /token-cleaner-controller \(also tokencleaner, off by default\)/);
  }).timeout(30_000);
});
