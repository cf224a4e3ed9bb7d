import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { turnsDuring } from '../../apimachinery/turns-testing.ts';
import { nextChanges } from '../event-collector.ts';
import { describeStoreContract } from '../store-contract.ts';
import { CompactedError, StoreUnavailableError } from '../store-errors.ts';
import { describeStoreModel } from '../store-model.ts';
import { EmbeddedDatabase } from './database.ts';
import { EmbeddedStore } from './embedded-store.ts';
import type { EmbeddedStoreOptions } from './embedded-store.ts';
import { decodeRevision } from './record.ts';

const dirs: string[] = [];
function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'binnacle-embedded-'));
  dirs.push(dir);
  return dir;
}
after(() => dirs.forEach((dir) => rmSync(dir, { recursive: true, force: true })));

describeStoreContract({
  name: 'embedded',
  open: async () => new EmbeddedStore({ dataDir: temporaryDir(), sweepIntervalMs: 100, progressIntervalMs: 200 }),
});

describe('embedded store', () => {
  describeStoreModel('embedded', async () => new EmbeddedStore({ dataDir: temporaryDir() }), 40);

  let dataDir: string;
  let store: EmbeddedStore;
  const open = (options: Partial<EmbeddedStoreOptions> = {}) => (store = new EmbeddedStore({ dataDir, ...options }));
  const put = async (key: string, value: string, expectRevision = 0, ttlSeconds?: number) => {
    const result = await store.commit(key, { expectRevision, value: Buffer.from(value), ttlSeconds });
    assert.ok(result.ok);
    return result.revision;
  };
  beforeEach(() => {
    dataDir = temporaryDir();
    open();
  });
  afterEach(() => store.close());

  it('keeps values, history, deletes and revisions over a restart', async () => {
    const first = await put('a/x', 'one');
    const second = await put('a/x', 'two', first);
    const deleted = await store.commit('a/x', { expectRevision: second });
    await store.close();
    open();
    assert.equal(await store.currentRevision(), deleted.ok && deleted.revision);
    assert.equal(await store.get('a/x'), undefined);
    assert.equal(Buffer.from((await store.get('a/x', { revision: first }))!.value).toString(), 'one');
    assert.equal((await nextChanges(store.watch('', first), 2)).length, 2);
    assert.ok((await put('a/x', 'three')) > second + 1);
  });

  it('keeps its revision over a restart when compaction emptied the log', async () => {
    const first = await put('a/x', 'one');
    await store.commit('a/x', { expectRevision: first });
    const last = await store.currentRevision();
    await store.compact(last);
    await store.close();
    open();
    assert.equal(await store.currentRevision(), last);
    await assert.rejects(store.get('a/x', { revision: first }), CompactedError);
  });

  it('makes its directory and files private, also where they had wider rights', async () => {
    await put('a/x', 'one');
    await store.close();
    const modes = (): number[] =>
      [dataDir, ...['data.mdb', 'lock.mdb', 'owner.lock'].map((name) => join(dataDir, name))].map(
        (file) => statSync(file).mode & 0o777,
      );
    assert.deepEqual(modes(), [0o700, 0o600, 0o600, 0o600]);
    chmodSync(dataDir, 0o755);
    for (const name of ['data.mdb', 'lock.mdb', 'owner.lock']) chmodSync(join(dataDir, name), 0o664);
    open();
    assert.deepEqual(modes(), [0o700, 0o600, 0o600, 0o600]);
  });

  it('refuses a second owner until the first is closed', async () => {
    assert.throws(
      () => new EmbeddedStore({ dataDir }),
      (error: Error) => error instanceof StoreUnavailableError && /in use by process/.test(error.message),
    );
    await store.close();
    open();
  });

  it('expires by the injected clock, also after a restart', async () => {
    let now = 1_000_000;
    await store.close();
    open({ now: () => now, sweepIntervalMs: 3_600_000 });
    const revision = await put('a/x', 'v', 0, 60);
    now += 59_000;
    await store.sweep();
    assert.ok(await store.get('a/x'));
    await store.close();
    open({ now: () => now, sweepIntervalMs: 3_600_000 });
    now += 1_000;
    await store.sweep();
    assert.equal(await store.get('a/x'), undefined);
    assert.match((await nextChanges(store.watch('', revision), 1))[0]!, /delete a\/x was v/);
  });

  it('shares flushes between commits in flight', async () => {
    const started = performance.now();
    await put('warm', 'v');
    const single = performance.now() - started;
    const count = 3000;
    const begun = performance.now();
    await Promise.all(Array.from({ length: count }, (_, i) => put(`a/${i}`, 'v'.repeat(500))));
    assert.ok(performance.now() - begun < (single * count) / 10 + 2000, 'every commit seems to have a separate flush');
    assert.equal(await store.count('a/'), count);
  }).timeout(60_000);

  it('yields to other work during a large range', async () => {
    await Promise.all(Array.from({ length: 5000 }, (_, i) => put(`a/${i}`, 'v'.repeat(2500))));
    const turns = await turnsDuring(async () => {
      const page = await store.range('a/');
      assert.equal(page.items.length, 5000);
    });
    assert.ok(turns > 3, `the range gave way ${turns} times`);
  }).timeout(60_000);

  it('finishes a range whose history is compacted meanwhile with a clear error, or whole', async () => {
    const revisions = await Promise.all(Array.from({ length: 3000 }, (_, i) => put(`a/${i}`, 'old')));
    const then = await store.currentRevision();
    await Promise.all(revisions.map((revision, i) => put(`a/${i}`, 'new', revision)));
    const reading = store.range('a/', { revision: then });
    const outcome = await Promise.allSettled([reading, store.compact(await store.currentRevision())]);
    const read = outcome[0];
    if (read.status === 'rejected') assert.ok(read.reason instanceof CompactedError, String(read.reason));
    else
      assert.ok(
        read.value.items.length === 3000 &&
          read.value.items.every((item) => Buffer.from(item.value).toString() === 'old'),
      );
  }).timeout(60_000);

  it('removes from disk what compaction made unreadable', async () => {
    let revision = await put('a/x', 'v');
    for (let i = 0; i < 300; i++) revision = await put('a/x', `v ${i}`, revision);
    const gone = await put('a/gone', 'v');
    const deleted = await store.commit('a/gone', { expectRevision: gone });
    const last = await put('a/y', 'v');
    await store.compact(deleted.ok ? deleted.revision : 0);
    await store.close();
    const database = new EmbeddedDatabase(dataDir);
    const log = Array.from(database.tables.log.getKeys({}), (key) => decodeRevision(key));
    const history = database.tables.history.getKeysCount({});
    await database.close();
    assert.deepEqual([log, history], [[revision, last], 0]);
  });

  it('bounds its file under churn by the size of the history', async () => {
    await store.close();
    open({ compactionIntervalMs: 3_600_000, historyBytesMax: 2 * 1024 * 1024 });
    let revision = await put('a/x', 'v');
    const kept = await put('a/kept', 'v');
    for (let n = 0; n < 4000; n++) revision = await put('a/x', 'v'.repeat(3000), revision);
    await assert.rejects(store.get('a/x', { revision: kept }), CompactedError);
    assert.equal(Buffer.from((await store.get('a/kept'))!.value).toString(), 'v');
    const bytes = (await store.sizes())[0]!.bytes;
    assert.ok(bytes < 12 * 1024 * 1024, `${bytes} for a history of 16 MiB in all`);
  }).timeout(60_000);

  it('reports a failing disk, keeps what it acknowledged, and continues when the disk works again', async () => {
    const first = await put('a/x', 'one');
    const write = EmbeddedDatabase.prototype.write;
    EmbeddedDatabase.prototype.write = () => Promise.reject(new Error('no space left on device'));
    try {
      const outcomes = await Promise.allSettled([
        put('a/x', 'two', first),
        put('a/y', 'new'),
        put('a/x', 'conflicts', first),
      ]);
      for (const outcome of outcomes)
        assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailableError);
    } finally {
      EmbeddedDatabase.prototype.write = write;
    }
    assert.equal(await store.currentRevision(), first);
    assert.equal(await store.get('a/y'), undefined);
    assert.equal(await put('a/x', 'two', first), first + 1);
    assert.deepEqual(
      (await store.range('')).items.map((item) => [item.key, item.modRevision]),
      [['a/x', first + 1]],
    );
  });

  it('refuses data of a later layout', async () => {
    await store.close();
    const database = new EmbeddedDatabase(dataDir);
    await database.write(() => database.putMeta('layout', 99));
    await database.close();
    assert.throws(() => open(), /layout 99/);
  });
});
