import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { decryptionError } from '../../encryption/unopened-value.ts';
import { CompactedError, StoreUnavailableError } from '../../store-errors.ts';
import { dataFileOf } from '../data-file.ts';
import { EmbeddedStore } from '../embedded-store.ts';
import { cut, deletedCount, fillStore, keyCount, keyOf, offsetOfValue, overwrite, valueOf } from './damage-testing.ts';
import { MdbFile } from './mdb-file.ts';
import { compactStore, repairStore, verifyStore } from './store-upkeep.ts';

const liveCount = keyCount - deletedCount;

function pagesIn(dir: string): number {
  const file = new MdbFile(dataFileOf(dir));
  file.close();
  return file.pageEnd;
}

describe('a damaged embedded store', function () {
  this.timeout(60_000);
  let pristine: string;
  let dir: string;
  before(async () => {
    pristine = mkdtempSync(join(tmpdir(), 'binnacle-pristine-'));
    await fillStore(pristine);
  });
  after(() => rmSync(pristine, { recursive: true, force: true }));
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'binnacle-damaged-'));
    cpSync(pristine, dir, { recursive: true });
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** What the store has now: numbers of keys with their last value, and of those with none that can be read. */
  async function contents(store: EmbeddedStore, mayBeOld = false): Promise<{ whole: number[]; unreadable: number[] }> {
    const [whole, unreadable]: [number[], number[]] = [[], []];
    for (const { key, value } of (await store.range('')).items) {
      const n = Number(key.slice(-4));
      if (decryptionError(value, key) !== undefined) unreadable.push(n);
      else if (Buffer.compare(value, valueOf(n, 2)) === 0) whole.push(n);
      else
        assert.ok(
          mayBeOld && [0, 1].some((round) => Buffer.compare(value, valueOf(n, round)) === 0),
          `${key} has another value`,
        );
    }
    return { whole, unreadable };
  }
  const withStore = async <T>(action: (store: EmbeddedStore) => Promise<T>): Promise<T> => {
    const store = new EmbeddedStore({ dataDir: dir, sweepIntervalMs: 3_600_000 });
    try {
      return await action(store);
    } finally {
      await store.close();
    }
  };
  const rootOf = (table: string): number => {
    const file = new MdbFile(dataFileOf(dir));
    const root = file.tables(file.marks()).get(table)!.root;
    file.close();
    return root;
  };

  it('is distinguished from an intact one', async () => {
    const report = await verifyStore(dir);
    assert.deepEqual([report.keys, report.damage, report.damagedKeys], [liveCount, [], []]);
    assert.equal((await repairStore(dir)).keptAs, undefined);
  });

  for (const [what, n] of [
    ['in a page with others', 101],
    ['in separate pages', 102],
  ] as const) {
    it(`with a changed value ${what} continues without it, and names its key`, async () => {
      overwrite(dir, offsetOfValue(dir, n) + 100, Buffer.from('oops'));
      assert.deepEqual((await verifyStore(dir)).damagedKeys, [
        { key: keyOf(n), reason: 'its checksum does not match' },
      ]);
      await withStore(async (store) => {
        const { whole, unreadable } = await contents(store);
        assert.deepEqual([whole.length, unreadable], [liveCount - 1, [n]]);
        const found = await store.get(keyOf(n));
        assert.equal(
          decryptionError(found!.value, keyOf(n)),
          `the stored value of "${keyOf(n)}" is damaged: its checksum does not match`,
        );
        assert.equal(
          (await store.commit(keyOf(n), { expectRevision: found!.modRevision, value: valueOf(n, 2) })).ok,
          true,
          'it can be overwritten',
        );
        assert.equal((await contents(store)).whole.length, liveCount);
      });
    });
  }

  it('lets a damaged key be deleted', async () => {
    overwrite(dir, offsetOfValue(dir, 201), Buffer.from('oops'));
    await withStore(async (store) => {
      const found = await store.get(keyOf(201));
      assert.equal((await store.commit(keyOf(201), { expectRevision: found!.modRevision })).ok, true);
      assert.equal(await store.get(keyOf(201)), undefined);
    });
  });

  it('lets watches from before a damaged record start again, and compaction continue', async () => {
    overwrite(dir, offsetOfValue(dir, 301), Buffer.from('oops'));
    await withStore(async (store) => {
      const last = await store.currentRevision();
      const stream = store.watch('', 2 * keyCount);
      await assert.rejects(async () => {
        for await (const { revision } of stream) if (revision === last) return;
      }, CompactedError);
      await store.compact(last);
      assert.equal((await contents(store)).whole.length, liveCount - 1);
    });
  });

  it('is repaired without the damaged keys, and keeps the old file', async () => {
    for (const n of [101, 102]) overwrite(dir, offsetOfValue(dir, n) + 10, Buffer.from('oops'));
    const before = await withStore((store) => store.currentRevision());
    const report = await repairStore(dir);
    assert.deepEqual(
      [report.keys, report.damagedKeys.map(({ key }) => key), report.keysAreDerived],
      [liveCount - 2, [keyOf(101), keyOf(102)], false],
    );
    assert.ok(existsSync(join(dir, report.keptAs!)));
    assert.deepEqual((await verifyStore(dir)).damagedKeys, []);
    await withStore(async (store) => {
      assert.equal((await contents(store)).whole.length, liveCount - 2);
      assert.ok((await store.currentRevision()) > before);
      await assert.rejects(store.get(keyOf(200), { revision: before }), CompactedError);
      assert.equal((await store.commit(keyOf(101), { expectRevision: 0, value: valueOf(101, 2) })).ok, true);
    });
  });

  for (const table of ['log', 'current', 'history', 'expiry'] as const) {
    it(`is not opened when the tree of ${table} is broken, and repair saves what is readable`, async () => {
      overwrite(dir, rootOf(table) * 4096, Buffer.alloc(4096, 0xff));
      assert.throws(
        () => new EmbeddedStore({ dataDir: dir }),
        (error) =>
          error instanceof StoreUnavailableError && /data\.mdb is damaged.*`binnacle store repair`/.test(error.message),
      );
      const { damage } = await verifyStore(dir);
      assert.ok(
        damage.some((line) => line.startsWith(`table ${table}: page`)),
        damage.join('\n'),
      );
      const report = await repairStore(dir);
      assert.deepEqual([report.keys, report.keysAreDerived], [liveCount, table === 'current']);
      await withStore(async (store) => assert.equal((await contents(store)).whole.length, liveCount));
    });
  }

  it('is repaired although both meta pages are lost', async () => {
    overwrite(dir, 0, Buffer.alloc(8192));
    await assert.rejects(verifyStore(dir), /nothing in .*data\.mdb can be read/);
    const report = await repairStore(dir);
    assert.equal(report.keysAreDerived, true);
    await withStore(async (store) => {
      const { whole } = await contents(store, true);
      for (let n = deletedCount; n < keyCount; n++) assert.ok(whole.includes(n), keyOf(n));
    });
  });

  it('that is truncated is not opened, at any length, and repair saves some of it', async () => {
    const { size } = statSync(dataFileOf(dir));
    const used = pagesIn(dir) * 4096;
    for (const bytes of [used - 4096, Math.floor(used / 2), 12_288, 8192, 5000, 4096, 100]) {
      cpSync(dataFileOf(pristine), dataFileOf(dir));
      cut(dir, Math.min(bytes, size));
      let opened: EmbeddedStore | undefined;
      try {
        opened = new EmbeddedStore({ dataDir: dir });
      } catch (error) {
        assert.ok(error instanceof StoreUnavailableError, String(error));
      }
      // Only unreferenced pages may be missing.
      if (opened !== undefined) assert.equal((await contents(opened)).whole.length, liveCount, `${bytes}`);
      await opened?.close();
    }
    cpSync(dataFileOf(pristine), dataFileOf(dir));
    cut(dir, Math.floor(used / 2));
    const { keys, keysAreDerived } = await repairStore(dir);
    assert.ok(keys > 0);
    await withStore(async (store) =>
      assert.deepEqual([(await contents(store, keysAreDerived)).unreadable, await store.count('')], [[], keys]),
    );
  });

  it('never has a value after a repair that was not written, for any changed bytes', async () => {
    const pageEnd = pagesIn(pristine);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: pageEnd * 4096 - 16 }),
        fc.uint8Array({ minLength: 1, maxLength: 16 }),
        async (at, bytes) => {
          cpSync(dataFileOf(pristine), dataFileOf(dir));
          overwrite(dir, at, Buffer.from(bytes));
          await verifyStore(dir).catch((error: unknown) =>
            assert.ok(error instanceof StoreUnavailableError, String(error)),
          );
          const report = await repairStore(dir).catch((error: unknown) =>
            assert.ok(error instanceof StoreUnavailableError, String(error)),
          );
          if (report?.keptAs === undefined) return;
          await withStore((store) => contents(store, report.keysAreDerived));
          rmSync(join(dir, report.keptAs));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is compacted to the size of its content, and keeps history and revisions', async () => {
    const revisions = await withStore(
      async (store) => [await store.currentRevision(), (await store.range('')).items.length] as const,
    );
    const { bytesBefore, bytesAfter } = await compactStore(dir);
    assert.equal(statSync(dataFileOf(dir)).mode & 0o777, 0o600);
    assert.ok(bytesAfter < bytesBefore / 2, `${bytesBefore} before, ${bytesAfter} after`);
    assert.deepEqual(readdirSync(dir).sort(), ['data.mdb', 'lock.mdb', 'owner.lock']);
    await withStore(async (store) => {
      assert.deepEqual([await store.currentRevision(), (await contents(store)).whole.length], revisions);
      assert.equal((await store.range('', { revision: 2 * keyCount + 1 })).items.length, keyCount);
    });
  });

  it('is not compacted while it is damaged, nor touched while a server has it', async () => {
    await withStore(async () => {
      for (const action of [verifyStore, repairStore, compactStore])
        await assert.rejects(action(dir), /in use by process/);
    });
    overwrite(dir, offsetOfValue(dir, 101), Buffer.from('oops'));
    await assert.rejects(compactStore(dir), /repair it first/);
  });

  it('has nothing to verify where there is none', async () => {
    await assert.rejects(verifyStore(join(dir, 'nowhere')), /there is no store in/);
  });
});
