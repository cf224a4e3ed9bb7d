/** Cases of the store contract about watches. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextChanges } from '../event-collector.ts';
import { StoreRewoundError } from '../store-errors.ts';
import type { Store } from '../store.ts';
import type { ContractStore } from './contract-store.ts';

export function describeWatches({ open, put, remove }: ContractStore): void {
  describe('watch', () => {
    let store: Store;
    beforeEach(() => (store = open()));

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
      const expected = [
        `${second} put a/x two created ${first} was one@${first}`,
        `${third} delete a/x was two@${second}`,
      ];
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
      assert.deepEqual(
        (await late).map((line) => parseInt(line, 10)),
        sorted.slice(writes / 2),
      );
    });
  });
}

export function describeWatchLife({ open, put }: ContractStore): void {
  describe('watch without changes', () => {
    let store: Store;
    beforeEach(() => (store = open()));

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

    it('fails when the store is behind the requested revision', async () => {
      const stream = store.watch('a/', (await store.currentRevision()) + 1_000_000);
      await assert.rejects(nextChanges(stream, 1), StoreRewoundError);
    });
  });
}
