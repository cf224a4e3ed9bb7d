/** Cases of the store contract about reads, now and in the past. */
import assert from 'node:assert/strict';
import { FutureRevisionError, StoreUnavailableError } from '../store-errors.ts';
import type { Store } from '../store.ts';
import { shown, text } from './contract-store.ts';
import type { ContractStore } from './contract-store.ts';

export function describeReads({ open, put, remove }: ContractStore): void {
  describe('reads', () => {
    let store: Store;
    beforeEach(() => (store = open()));

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
      assert.deepEqual(
        all.items.map((item) => item.key),
        keys,
      );
      assert.deepEqual([all.more, all.revision], [false, await store.currentRevision()]);
      const paged: string[] = [];
      for (let after: string | undefined; ;) {
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

    it('finds nothing for keys longer than the longest key', async () => {
      await put('a/x', 'v');
      await put('a/y', 'v');
      assert.deepEqual((await store.range(`a/${'x'.repeat(20_000)}/`)).items, []);
      const page = await store.range('a/', { after: `a/x${'x'.repeat(20_000)}` });
      assert.deepEqual(
        page.items.map((item) => item.key),
        ['a/y'],
      );
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

export function describeSnapshots({ open, put, remove }: ContractStore): void {
  describe('snapshots', () => {
    let store: Store;
    beforeEach(() => (store = open()));

    it('shows a range as it was, after any later write', async () => {
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
      assert.deepEqual(
        page.items.map((item) => [item.key, text(item.value), item.modRevision]),
        [...revisions].map(([key, revision]) => [key, 'old', revision]),
      );
      assert.equal(page.revision, then);
      assert.deepEqual(
        (await store.range('a/')).items.map((item) => [item.key, text(item.value)]),
        [
          ['a/0', 'created later'],
          ['a/1', 'new 29'],
          ['a/2', 'again'],
          ['a/4', 'old'],
        ],
      );
    });

    it('takes a large range in one snapshot while it is written', async () => {
      const keys = Array.from({ length: 1500 }, (_, i) => `a/${String(i).padStart(5, '0')}`);
      await Promise.all(keys.map((key) => put(key, 'old')));
      const reading = store.range('a/');
      const writing = Promise.all(
        keys.map(async (key) => {
          const seen = await store.get(key);
          await put(key, 'new', seen!.modRevision);
        }),
      );
      const page = await reading;
      await writing;
      assert.deepEqual(
        page.items.map((item) => item.key),
        keys,
      );
      assert.ok(
        page.items.every((item) => item.modRevision <= page.revision),
        'an item is newer than its page',
      );
      const again = await store.range('a/', { revision: page.revision });
      assert.deepEqual(again.items.map(shown), page.items.map(shown));
    });
  });
}
