/**
 * The suite that every Store implementation passes: what `store.ts` promises, case by case. Each case gets a store with nothing in it;
 * implementations may share one server between cases as long as the keys of others do not show.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextChanges } from './event-collector.ts';
import { CompactedError, FutureRevisionError, InvalidKeyError, StoreRewoundError, StoreUnavailableError } from './store-errors.ts';
import { keyBytesMax } from './store-key.ts';
import type { CommitResult, KeyValue, Store } from './store.ts';

export interface StoreContract {
  readonly name: string;
  /** A store without keys. */
  readonly open: () => Promise<Store>;
}

const bytes = (text: string) => Buffer.from(text);
const text = (value: Uint8Array | undefined) => (value === undefined ? undefined : Buffer.from(value).toString());
const shown = (item: KeyValue | undefined) => item && [item.key, text(item.value), item.createRevision, item.modRevision];

/** The commit's revision; fails the test on a conflict. */
async function committed(result: Promise<CommitResult>): Promise<number> {
  const outcome = await result;
  assert.ok(outcome.ok, 'the commit conflicted');
  return outcome.revision;
}

export function describeStoreContract(contract: StoreContract): void {
  describe(`store contract: ${contract.name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await contract.open();
    });
    afterEach(() => store.close());
    const put = (key: string, value: string, expectRevision = 0) => committed(store.commit(key, { expectRevision, value: bytes(value) }));
    const remove = (key: string, expectRevision: number) => committed(store.commit(key, { expectRevision }));

    describeCommits(() => store, put, remove);
    describeReads(() => store, put, remove);
    describeWatches(() => store, put, remove);
    describeCompaction(() => store, put, remove);
    describeExpiry(() => store, put);
  });
}

type Put = (key: string, value: string, expectRevision?: number) => Promise<number>;
type Remove = (key: string, expectRevision: number) => Promise<number>;

function describeCommits(current: () => Store, put: Put, remove: Remove): void {
  describe('commit', () => {
    let store: Store;
    beforeEach(() => (store = current()));

    it('creates, updates and deletes with rising revisions', async () => {
      const created = await put('a/x', 'one');
      assert.deepEqual(shown(await store.get('a/x')), ['a/x', 'one', created, created]);
      const updated = await put('a/x', 'two', created);
      assert.ok(updated > created);
      assert.deepEqual(shown(await store.get('a/x')), ['a/x', 'two', created, updated]);
      const deleted = await remove('a/x', updated);
      assert.ok(deleted > updated);
      assert.equal(await store.get('a/x'), undefined);
      const again = await put('a/x', 'three');
      assert.deepEqual(shown(await store.get('a/x')), ['a/x', 'three', again, again]);
    });

    it('answers a conflict with what is there', async () => {
      assert.deepEqual(await store.commit('a/x', { expectRevision: 7, value: bytes('v') }), { ok: false, current: undefined });
      const created = await put('a/x', 'one');
      for (const options of [{ expectRevision: 0, value: bytes('two') }, { expectRevision: created + 5, value: bytes('two') },
        { expectRevision: created + 5 }, { expectRevision: 0 }]) {
        const result = await store.commit('a/x', options);
        assert.ok(!result.ok);
        assert.deepEqual(shown(result.current), ['a/x', 'one', created, created]);
      }
    });

    it('deletes nothing without an event', async () => {
      const before = await store.currentRevision();
      assert.deepEqual(await store.commit('a/x', { expectRevision: 0 }), { ok: true, revision: before });
      assert.equal(await store.currentRevision(), before);
    });

    it('lets one of many concurrent creates win', async () => {
      const results = await Promise.all(Array.from({ length: 50 }, (_, i) => store.commit('a/x', { expectRevision: 0, value: bytes(`${i}`) })));
      const winners = results.flatMap((result, i) => (result.ok ? [i] : []));
      assert.equal(winners.length, 1);
      const now = shown(await store.get('a/x'));
      assert.equal(now?.[1], `${winners[0]}`);
      for (const result of results) if (!result.ok) assert.deepEqual(shown(result.current), now);
    });

    it('loses no increment of concurrent writers', async () => {
      await put('a/n', '0');
      const increment = async () => {
        let seen = await store.get('a/n');
        for (;;) {
          assert.ok(seen);
          const result = await store.commit('a/n', { expectRevision: seen.modRevision, value: bytes(`${Number(text(seen.value)) + 1}`) });
          if (result.ok) return;
          seen = result.current;
        }
      };
      await Promise.all(Array.from({ length: 20 }, increment));
      assert.equal(text((await store.get('a/n'))?.value), '20');
    });

    it('keeps values of any bytes and sizes, and its own copy of them', async () => {
      const large = Buffer.alloc(1_000_000, 'binnacle');
      await committed(store.commit('a/large', { expectRevision: 0, value: large }));
      await put('a/empty', '');
      const value = Buffer.from([0, 255, 128, 10]);
      const expected = Buffer.from(value);
      await committed(store.commit('a/bytes', { expectRevision: 0, value }));
      value.fill(1);
      assert.ok(large.equals((await store.get('a/large'))!.value));
      assert.equal((await store.get('a/empty'))!.value.length, 0);
      assert.ok(expected.equals((await store.get('a/bytes'))!.value));
      const listed = await store.range('a/');
      for (const item of listed.items) {
        assert.ok(item.value.buffer.byteLength < item.value.length + 4096, `${item.key} is a view into a larger page`);
      }
    });

    it('refuses keys it cannot keep and finds nothing under them', async () => {
      for (const key of ['', 'a\0b', 'k'.repeat(keyBytesMax + 1)]) {
        await assert.rejects(store.commit(key, { expectRevision: 0, value: bytes('v') }), InvalidKeyError);
        assert.equal(await store.get(key), undefined);
      }
      for (const key of ['__proto__', 'a/constructor', 'k'.repeat(keyBytesMax - 50), 'a/ü/😀']) {
        await put(key, key);
        assert.equal(text((await store.get(key))?.value), key);
      }
    });
  });
}

function describeReads(current: () => Store, put: Put, remove: Remove): void {
  describe('reads', () => {
    let store: Store;
    beforeEach(() => (store = current()));

    it('reads a key at a revision', async () => {
      const first = await put('a/x', 'one');
      const second = await put('a/x', 'two', first);
      const third = await remove('a/x', second);
      assert.equal(text((await store.get('a/x', { revision: first }))?.value), 'one');
      assert.equal(text((await store.get('a/x', { revision: second }))?.value), 'two');
      assert.equal(await store.get('a/x', { revision: third }), undefined);
      await assert.rejects(store.get('a/x', { revision: third + 1000 }), FutureRevisionError);
      await assert.rejects(store.range('a/', { revision: third + 1000 }), FutureRevisionError);
    });

    it('ranges over a prefix in byte order, in pages', async () => {
      const keys = ['a/b', 'a/b/c', 'a/b0', 'a/z', 'a/~', 'a/\uffff', 'a/😀'];
      for (const key of keys.toReversed()) await put(key, key);
      await put('a', 'no');
      await put('a0', 'no');
      await put('b/x', 'no');
      const all = await store.range('a/');
      assert.deepEqual(all.items.map((item) => item.key), keys);
      assert.deepEqual([all.more, all.revision], [false, await store.currentRevision()]);
      const paged: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await store.range('a/', { limit: 3, revision: all.revision, after });
        paged.push(...page.items.map((item) => item.key));
        if (!page.more) break;
        assert.equal(page.items.length, 3);
        after = page.items.at(-1)!.key;
      }
      assert.deepEqual(paged, keys);
      assert.equal((await store.range('a/', { limit: keys.length })).more, false);
      assert.deepEqual((await store.range('a/', { after: 'a/😀' })).items, []);
      assert.deepEqual((await store.range('a/', { after: 'zzz' })).items, []);
      assert.equal((await store.range('a/', { after: 'A' })).items.length, keys.length);
      assert.equal(await store.count('a/'), keys.length);
      assert.equal((await store.range('')).items.length, keys.length + 3);
      assert.equal(await store.count(''), keys.length + 3);
      assert.equal(await store.count('none/'), 0);
    });

    it('shows a range as it was, whatever happened since', async () => {
      const revisions = new Map<string, number>();
      for (const key of ['a/1', 'a/2', 'a/3', 'a/4']) revisions.set(key, await put(key, 'old'));
      const then = await store.currentRevision();
      let last = revisions.get('a/1')!;
      for (let i = 0; i < 30; i++) last = await put('a/1', `new ${i}`, last);
      await remove('a/2', revisions.get('a/2')!);
      await put('a/2', 'again');
      await remove('a/3', revisions.get('a/3')!);
      await put('a/0', 'created later');
      const page = await store.range('a/', { revision: then });
      assert.deepEqual(page.items.map((item) => [item.key, text(item.value), item.modRevision]),
        [...revisions].map(([key, revision]) => [key, 'old', revision]));
      assert.equal(page.revision, then);
      assert.deepEqual((await store.range('a/')).items.map((item) => [item.key, text(item.value)]),
        [['a/0', 'created later'], ['a/1', 'new 29'], ['a/2', 'again'], ['a/4', 'old']]);
    });

    it('takes a large range in one snapshot while it is written', async () => {
      const keys = Array.from({ length: 1500 }, (_, i) => `a/${String(i).padStart(5, '0')}`);
      await Promise.all(keys.map((key) => put(key, 'old')));
      const reading = store.range('a/');
      const writing = Promise.all(keys.map(async (key) => {
        const seen = await store.get(key);
        await put(key, 'new', seen!.modRevision);
      }));
      const page = await reading;
      await writing;
      assert.deepEqual(page.items.map((item) => item.key), keys);
      assert.ok(page.items.every((item) => item.modRevision <= page.revision), 'an item is newer than its page');
      const again = await store.range('a/', { revision: page.revision });
      assert.deepEqual(again.items.map(shown), page.items.map(shown));
    });

    it('knows the newest revision and answers pings', async () => {
      assert.ok((await store.currentRevision()) > 0, 'an empty store has a revision that is not 0');
      const revision = await put('a/x', 'v');
      assert.ok((await store.currentRevision()) >= revision);
      await store.ping(2000);
      await store.close();
      await assert.rejects(store.get('a/x'), StoreUnavailableError);
      await assert.rejects(store.ping(100), StoreUnavailableError);
    });
  });
}

function describeWatches(current: () => Store, put: Put, remove: Remove): void {
  describe('watch', () => {
    let store: Store;
    beforeEach(() => (store = current()));

    it('delivers every change in order with previous values', async () => {
      const start = await store.currentRevision();
      const stream = store.watch('a/', start);
      const created = await put('a/x', 'one');
      await put('b/x', 'elsewhere');
      const updated = await put('a/x', 'two', created);
      const deleted = await remove('a/x', updated);
      const events = await nextChanges(stream, 3);
      assert.deepEqual(events, [
        `${created} put a/x one created ${created}`,
        `${updated} put a/x two created ${created} was one@${created}`,
        `${deleted} delete a/x was two@${updated}`,
      ]);
    });

    it('starts from a past revision, exclusively, and goes on with what comes', async () => {
      const first = await put('a/x', 'one');
      const second = await put('a/x', 'two', first);
      const third = await remove('a/x', second);
      const stream = store.watch('a/', first);
      const expected = [`${second} put a/x two created ${first} was one@${first}`, `${third} delete a/x was two@${second}`];
      const later = put('a/y', 'new');
      const events = await nextChanges(stream, 3);
      const fourth = await later;
      assert.deepEqual(events, [...expected, `${fourth} put a/y new created ${fourth}`]);
    });

    it('loses and repeats nothing under load, for several watchers at different places', async () => {
      const start = await store.currentRevision();
      const writes = 400;
      const early = nextChanges(store.watch('a/', start), writes);
      const revisions: number[] = [];
      const write = async (i: number) => void revisions.push(await put(`a/${i}`, 'v'.repeat(2000)));
      await Promise.all(Array.from({ length: writes / 2 }, (_, i) => write(i)));
      const middle = await store.currentRevision();
      const late = nextChanges(store.watch('a/', middle), writes / 2);
      await Promise.all(Array.from({ length: writes / 2 }, (_, i) => write(i + writes / 2)));
      const seenEarly = (await early).map((line) => parseInt(line, 10));
      const sorted = revisions.toSorted((a, b) => a - b);
      assert.deepEqual(seenEarly, sorted);
      assert.deepEqual((await late).map((line) => parseInt(line, 10)), sorted.slice(writes / 2));
    });

    it('reports progress when idle', async () => {
      const revision = await put('b/x', 'not watched');
      const stream = store.watch('a/', revision);
      for await (const batch of stream) {
        assert.deepEqual([batch.events.length, batch.revision >= revision], [0, true]);
        break;
      }
    }).timeout(15_000);

    it('advances its revision past changes to other keys', async () => {
      const stream = store.watch('a/', await store.currentRevision());
      const revision = await put('b/x', 'not watched');
      for await (const batch of stream) {
        assert.deepEqual(batch.events, []);
        if (batch.revision >= revision) break;
      }
    }).timeout(15_000);

    it('ends quietly when closed', async () => {
      const stream = store.watch('a/', await store.currentRevision());
      const ended = (async () => {
        for await (const batch of stream) assert.deepEqual(batch.events, []);
      })();
      await sleep(50);
      stream.close();
      stream.close();
      await ended;
    });

    it('fails when the store is behind the asked revision', async () => {
      const stream = store.watch('a/', (await store.currentRevision()) + 1_000_000);
      await assert.rejects(nextChanges(stream, 1), StoreRewoundError);
    });
  });
}

function describeCompaction(current: () => Store, put: Put, remove: Remove): void {
  describe('compact', () => {
    let store: Store;
    beforeEach(() => (store = current()));

    it('keeps what is at the revision and above, and refuses what is below', async () => {
      const first = await put('a/x', 'one');
      const gone = await put('a/gone', 'v');
      await remove('a/gone', gone);
      const second = await put('a/x', 'two', first);
      const kept = await put('a/kept', 'v');
      const third = await put('a/x', 'three', second);
      await store.compact(kept);
      await assert.rejects(store.get('a/x', { revision: second }), (error) =>
        error instanceof CompactedError && error.compactRevision === kept);
      await assert.rejects(store.range('a/', { revision: second }), CompactedError);
      const then = await store.range('a/', { revision: kept });
      assert.deepEqual(then.items.map((item) => [item.key, text(item.value)]), [['a/kept', 'v'], ['a/x', 'two']]);
      assert.equal(text((await store.get('a/x', { revision: third }))?.value), 'three');
      assert.deepEqual(await nextChanges(store.watch('a/', kept), 1), [`${third} put a/x three created ${first} was two@${second}`]);
      await assert.rejects(nextChanges(store.watch('a/', first), 1), CompactedError);
      await put('a/x', 'four', third);
    });

    it('takes a repeated or an earlier revision as done and refuses a future one', async () => {
      const first = await put('a/x', 'one');
      const second = await put('a/x', 'two', first);
      await store.compact(second);
      await store.compact(second);
      await store.compact(first);
      await assert.rejects(store.compact(second + 1_000_000), FutureRevisionError);
      assert.equal(text((await store.get('a/x'))?.value), 'two');
    });
  });
}

function describeExpiry(current: () => Store, put: Put): void {
  describe('ttl', () => {
    it('deletes a key after its lifetime, and watchers see it', async () => {
      const store = current();
      const stream = store.watch('a/', await store.currentRevision());
      const first = await committed(store.commit('a/short', { expectRevision: 0, value: bytes('v'), ttlSeconds: 1 }));
      const kept = await committed(store.commit('a/kept', { expectRevision: 0, value: bytes('v'), ttlSeconds: 1 }));
      const updated = await put('a/kept', 'without a lifetime', kept);
      await committed(store.commit('a/long', { expectRevision: 0, value: bytes('v'), ttlSeconds: 3600 }));
      const events = await nextChanges(stream, 5);
      assert.match(events.at(-1)!, new RegExp(`^\\d+ delete a/short was v@${first}$`));
      assert.equal(await store.get('a/short'), undefined);
      assert.equal((await store.get('a/kept'))?.modRevision, updated);
      assert.equal(text((await store.get('a/long'))?.value), 'v');
    }).timeout(20_000);
  });
}
