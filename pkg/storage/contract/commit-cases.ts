/** Cases of the store contract about writes, keys and values. */
import assert from 'node:assert/strict';
import { InvalidKeyError } from '../store-errors.ts';
import { keyBytesMax } from '../store-key.ts';
import type { Store } from '../store.ts';
import { bytes, committed, shown, text } from './contract-store.ts';
import type { ContractStore } from './contract-store.ts';

export function describeCommits({ open, put, remove }: ContractStore): void {
  describe('commit', () => {
    let store: Store;
    beforeEach(() => (store = open()));

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

    it('answers a conflict with the current value', async () => {
      assert.deepEqual(await store.commit('a/x', { expectRevision: 7, value: bytes('v') }), {
        ok: false,
        current: undefined,
      });
      const created = await put('a/x', 'one');
      for (const options of [
        { expectRevision: 0, value: bytes('two') },
        { expectRevision: created + 5, value: bytes('two') },
        { expectRevision: created + 5 },
        { expectRevision: 0 },
      ]) {
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
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) => store.commit('a/x', { expectRevision: 0, value: bytes(`${i}`) })),
      );
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
          const result = await store.commit('a/n', {
            expectRevision: seen.modRevision,
            value: bytes(`${Number(text(seen.value)) + 1}`),
          });
          if (result.ok) return;
          seen = result.current;
        }
      };
      await Promise.all(Array.from({ length: 20 }, increment));
      assert.equal(text((await store.get('a/n'))?.value), '20');
    });
  });
}

export function describeKeysAndValues({ open, put }: ContractStore): void {
  describe('keys and values', () => {
    let store: Store;
    beforeEach(() => (store = open()));

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
