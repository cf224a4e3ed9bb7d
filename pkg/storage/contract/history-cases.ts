/** Cases of the store contract about compaction and lifetimes. */
import assert from 'node:assert/strict';
import { nextChanges } from '../event-collector.ts';
import { CompactedError, FutureRevisionError } from '../store-errors.ts';
import type { Store } from '../store.ts';
import { bytes, committed, text } from './contract-store.ts';
import type { ContractStore } from './contract-store.ts';

export function describeCompaction({ open, put, remove }: ContractStore): void {
  describe('compact', () => {
    let store: Store;
    beforeEach(() => (store = open()));

    it('keeps what is at the revision and above, and refuses what is below', async () => {
      const first = await put('a/x', 'one');
      const gone = await put('a/gone', 'v');
      await remove('a/gone', gone);
      const second = await put('a/x', 'two', first);
      const kept = await put('a/kept', 'v');
      const third = await put('a/x', 'three', second);
      await store.compact(kept);
      await assert.rejects(
        store.get('a/x', { revision: second }),
        (error) => error instanceof CompactedError && error.compactRevision === kept,
      );
      await assert.rejects(store.range('a/', { revision: second }), CompactedError);
      const then = await store.range('a/', { revision: kept });
      assert.deepEqual(
        then.items.map((item) => [item.key, text(item.value)]),
        [
          ['a/kept', 'v'],
          ['a/x', 'two'],
        ],
      );
      assert.equal(text((await store.get('a/x', { revision: third }))?.value), 'three');
      assert.deepEqual(await nextChanges(store.watch('a/', kept), 1), [
        `${third} put a/x three created ${first} was two@${second}`,
      ]);
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

export function describeExpiry({ open, put }: ContractStore): void {
  describe('ttl', () => {
    let store: Store;
    beforeEach(() => (store = open()));

    it('deletes a key after its lifetime, and watchers see it', async () => {
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
