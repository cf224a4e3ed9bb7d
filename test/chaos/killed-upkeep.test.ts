/**
 * kill -9 in the middle of `binnacle store compact` and `repair`, ROUNDS times each (default 5; `make chaos` runs 50).
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedStore } from '../../pkg/storage/embedded/embedded-store.ts';
import {
  deletedCount,
  fillStore,
  keyCount,
  keyOf,
  offsetOfValue,
  overwrite,
  valueOf,
} from '../../pkg/storage/embedded/file/damage-testing.ts';
import { repairStore, verifyStore } from '../../pkg/storage/embedded/file/store-upkeep.ts';

const rounds = Number(process.env['ROUNDS'] ?? 5);
const upkeep = join(import.meta.dirname, '../../pkg/storage/embedded/file/store-upkeep.ts');
const damagedKey = 101;

describe('store upkeep that is killed', function () {
  this.timeout(rounds * 20_000 + 60_000);
  let pristine: string;
  let dir: string;
  before(async () => {
    pristine = mkdtempSync(join(tmpdir(), 'binnacle-upkeep-'));
    await fillStore(pristine);
  });
  after(() => rmSync(pristine, { recursive: true, force: true }));
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'binnacle-killed-'));
    cpSync(pristine, dir, { recursive: true });
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** Runs the action in a process of its own, and kills it some time after it began, if it is not done by then. */
  async function runUntilKilled(action: 'compactStore' | 'repairStore', afterMs: number): Promise<void> {
    const script = `import { ${action} } from ${JSON.stringify(upkeep)}; console.log('begins'); await ${action}(${JSON.stringify(dir)});`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    await once(child.stdout, 'data');
    await sleep(afterMs);
    child.kill('SIGKILL');
    const [status, signal] = await closed;
    assert.ok(status === 0 || signal === 'SIGKILL', `it failed by itself with status ${status}`);
  }

  async function assertContents(except?: number): Promise<void> {
    const store = new EmbeddedStore({ dataDir: dir, sweepIntervalMs: 3_600_000 });
    try {
      const values = new Map((await store.range('')).items.map((item) => [item.key, Buffer.from(item.value)]));
      for (let n = deletedCount; n < keyCount; n++)
        if (n !== except) assert.deepEqual(values.get(keyOf(n)), valueOf(n, 2), keyOf(n));
      assert.equal(values.size, keyCount - deletedCount - (except === undefined || values.has(keyOf(except)) ? 0 : 1));
    } finally {
      await store.close();
    }
  }

  it(`leaves the old file or the new one when it compacts, in ${rounds} rounds`, async () => {
    for (let round = 0; round < rounds; round++) {
      await runUntilKilled('compactStore', Math.random() * 300);
      const { damage, damagedKeys, keys } = await verifyStore(dir);
      assert.deepEqual([damage, damagedKeys, keys], [[], [], keyCount - deletedCount]);
      await assertContents();
    }
  });

  it(`leaves the old file or the new one when it repairs, in ${rounds} rounds`, async () => {
    for (let round = 0; round < rounds; round++) {
      rmSync(dir, { recursive: true });
      cpSync(pristine, dir, { recursive: true });
      overwrite(dir, offsetOfValue(dir, damagedKey) + 5, Buffer.from('oops'));
      await runUntilKilled('repairStore', Math.random() * 300);
      const { damage, damagedKeys } = await verifyStore(dir);
      assert.deepEqual(damage, []);
      assert.ok(damagedKeys.length === 0 || damagedKeys[0]!.key === keyOf(damagedKey));
      await assertContents(damagedKey);
      await repairStore(dir);
      assert.deepEqual((await verifyStore(dir)).damagedKeys, []);
      assert.ok(
        readdirSync(dir).some((name) => name.startsWith('data.mdb.damaged-')),
        'the damaged file is kept',
      );
    }
  });
});
