import assert from 'node:assert/strict';
import { AllocationTransaction, CONFIRM_AFTER_MS } from './allocation-transaction.ts';
import type { Allocator } from './allocator.ts';

describe('AllocationTransaction', () => {
  const fail = (error: unknown): never => assert.fail(String(error));
  const holder = { namespace: 'n', name: 's' };
  const given: string[] = [];
  let isHeld = true;
  let looks = 0;
  const allocator: Allocator<string> = {
    taken: 'taken',
    allocate: async (item) => void given.push(item),
    allocateNext: async () => 'next',
    checkFree: async () => undefined,
    peekNext: async (besides) => (besides.length === 0 ? 'first' : 'second'),
    isHeld: async () => {
      looks++;
      return isHeld;
    },
    release: async (items) => void given.push(...items.map((item) => `-${item}`)),
  };

  it('releases what it took, or what it dropped', async () => {
    const failed = new AllocationTransaction(holder, false, fail);
    await failed.take(allocator, 'a');
    failed.drop(allocator, 'old');
    await failed.rollback();
    const stored = new AllocationTransaction(holder, false, fail);
    await stored.take(allocator, 'b');
    stored.drop(allocator, 'old');
    await stored.commit();
    assert.deepEqual(given, ['a', '-a', 'b', '-old']);
  });

  it('takes nothing in a dry run, and no item twice', async () => {
    const dry = new AllocationTransaction(holder, true, fail);
    assert.deepEqual([await dry.takeNext(allocator), await dry.takeNext(allocator)], ['first', 'second']);
    await assert.rejects(dry.take(allocator, 'first'), { message: 'taken' });
    const before = given.length;
    await dry.rollback();
    assert.equal(given.length, before);
  });

  it('refuses a write so late that a repair may have released its items', async () => {
    let now = 0;
    const transaction = new AllocationTransaction(holder, false, fail, () => now);
    await transaction.take(allocator, 'c');
    isHeld = false;
    now = CONFIRM_AFTER_MS - 1;
    await transaction.confirm();
    assert.equal(looks, 0);
    now = CONFIRM_AFTER_MS;
    await assert.rejects(transaction.confirm(), /the allocation of c was released before the object was stored/);
    isHeld = true;
    await transaction.confirm();
    assert.equal(looks, 2);
  });
});
