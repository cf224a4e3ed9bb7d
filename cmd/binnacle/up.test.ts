import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apiServerOptions } from '../../pkg/options/api-server-options.ts';
import { upOptions } from '../../pkg/options/up-options.ts';
import { runCommand } from './run-command-testing.ts';

describe('binnacle up', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-cmd-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('tells everything that is wrong with its options, and touches nothing', async () => {
    const { status, stdout, stderr } = await runCommand(
      ['up', '--nope', '--secure-port=99999', '--event-ttl', 'soon', 'word', '--storage-backend=etcd2'],
      { cwd: dir },
    );
    assert.deepEqual([status, stdout.length], [2, 0]);
    assert.deepEqual(stderr.trim().split('\n').sort(), [
      'binnacle up: --event-ttl=soon: must be a duration such as 30s or 5m0s',
      'binnacle up: --secure-port=99999: must be a port from 0 to 65535',
      'binnacle up: --storage-backend=etcd2: etcd2 is no longer supported: migrate the data to etcd3 with the tools of etcd 3.4 first',
      'binnacle up: unexpected argument "word"',
      'binnacle up: unknown option --nope',
    ]);
    assert.equal(existsSync(path.join(dir, '.binnacle')), false);
  });

  it('lists its options, and those of apiserver are others', async () => {
    const [up, apiserver] = await Promise.all([
      runCommand(['up', '--help'], { cwd: dir }),
      runCommand(['apiserver', '-h', '--nope'], { cwd: dir }),
    ]);
    for (const [component, rows, { status, stdout }] of [
      ['up', upOptions, up],
      ['apiserver', apiServerOptions, apiserver],
    ] as const) {
      assert.equal(status, 0);
      const shown = [...stdout.toString().matchAll(/^ {2}--([\w-]+) /gm)].map((m) => m[1]!);
      assert.deepEqual(
        shown.sort(),
        rows
          .filter((o) => o.components.includes(component))
          .map((o) => o.name)
          .sort(),
      );
    }
    assert.equal(existsSync(path.join(dir, '.binnacle')), false);
  });

  it('says in one line why it cannot start', async () => {
    writeFileSync(path.join(dir, 'file'), '');
    const { status, stderr } = await runCommand(['up', '--data-dir', path.join(dir, 'file/below'), '--secure-port=0'], {
      cwd: dir,
    });
    assert.equal(status, 1);
    const lines = stderr
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    assert.equal(lines.length, 1, stderr);
    assert.match(lines[0]!, /^binnacle up: /);
  });
});
