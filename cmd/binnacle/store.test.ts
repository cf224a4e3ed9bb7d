import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keyOf, fillStore, offsetOfValue, overwrite } from '../../pkg/storage/embedded/file/damage-testing.ts';
import { runCommand } from './run-command-testing.ts';

const run = async (...args: string[]): Promise<[status: number | null, stdout: string[], stderr: string]> => {
  const { status, stdout, stderr } = await runCommand(['store', ...args]);
  return [status, stdout.toString().split('\n'), stderr];
};

describe('binnacle store', function () {
  this.timeout(60_000);
  let dir: string;
  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-store-command-'));
    await fillStore(path.join(dir, 'store'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('verifies, repairs and compacts, and says so', async () => {
    const [status, [summary]] = await run('verify', '--data-dir', dir);
    assert.equal(status, 0);
    assert.match(summary!, /store: 360 keys, \d+ records, [\d.]+ MiB$/);
    const compacted = await run('compact', dir);
    assert.equal(compacted[0], 0);
    assert.match(compacted[1][0]!, /store: [\d.]+ MiB before, [\d.]+ MiB now$/);
    overwrite(path.join(dir, 'store'), offsetOfValue(path.join(dir, 'store'), 101), Buffer.from('oops'));
    const [damaged, lines] = await run('verify', dir);
    assert.deepEqual([damaged, lines.slice(1)], [1, [`damaged: "${keyOf(101)}": its checksum does not match`, '']]);
    const repaired = await run('repair', dir);
    assert.equal(repaired[0], 1, 'something was lost');
    assert.match(
      repaired[1].join('\n'),
      new RegExp(
        `359 keys saved, without their history; the damaged file is data\\.mdb\\.damaged-\\S+\nlost: ${keyOf(101)}\n`,
      ),
    );
    assert.equal((await run('verify', dir))[0], 0);
    assert.deepEqual((await run('repair', dir)).slice(0, 2), [
      0,
      [`${path.join(dir, 'store')}: nothing is damaged, nothing was changed`, ''],
    ]);
  });

  it('tells apart wrong options and what cannot be done', async () => {
    const [wrongStatus, , wrong] = await run('polish');
    assert.deepEqual(
      [wrongStatus, wrong.split('\n')[0]],
      [2, 'binnacle store: what to do with the store: verify, repair, compact'],
    );
    assert.equal((await run('verify', 'a', 'b'))[0], 2);
    const nowhere = path.join(dir, 'nowhere');
    assert.deepEqual(await run('verify', nowhere), [
      1,
      [''],
      `binnacle store verify: there is no store in ${nowhere}\n`,
    ]);
  });
});
