import assert from 'node:assert/strict';
import { apiRelease, binnacleVersion } from '../../pkg/server/system/version.ts';
import { runCommand } from './run-command-testing.ts';

const usage =
  /^binnacle: .*\n\nUsage: binnacle <command> \[options\]\n[^]*up +run[^]*apiserver +run[^]*convert +turn[^]*store +verify[^]*version +print/;

describe('binnacle', () => {
  it('tells its commands', async () => {
    const [help, nothing] = await Promise.all([runCommand(['--help']), runCommand([])]);
    assert.match(help.stdout.toString(), usage);
    assert.deepEqual([help.status, help.stderr, nothing.status, nothing.stdout.equals(help.stdout)], [0, '', 2, true]);
  });

  it('refuses commands that it does not know', async () => {
    await Promise.all(
      ['nonsense', '__proto__'].map(async (name) => {
        const { status, stdout, stderr } = await runCommand([name]);
        assert.deepEqual([status, stdout.length, stderr.split('\n')[0]], [2, 0, `binnacle: unknown command "${name}"`]);
        assert.match(stderr.slice(stderr.indexOf('\n\n') + 2), usage);
      }),
    );
  });

  it('tells its version', async () => {
    const { status, stdout } = await runCommand(['--version']);
    assert.deepEqual(
      [status, stdout.toString()],
      [0, `binnacle ${binnacleVersion} (Kubernetes API ${apiRelease.major}.${apiRelease.minor})\n`],
    );
    const refused = await runCommand(['version', 'of', 'what']);
    assert.deepEqual(
      [refused.status, refused.stdout.length, refused.stderr],
      [2, 0, 'binnacle version: unexpected argument "of"\n'],
    );
  });

  it('ends silently when its reader stops', async () => {
    const { status, stderr } = await runCommand(['up', '--help'], { closeStdout: true });
    assert.deepEqual([status, stderr], [0, '']);
  });
});
