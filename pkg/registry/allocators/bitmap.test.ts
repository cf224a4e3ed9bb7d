import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Bitmap } from './bitmap.ts';

describe('Bitmap', () => {
  it('has the byte form of a large integer', () => {
    const bitmap = new Bitmap(254);
    assert.deepEqual([...bitmap.toBytes()], []);
    bitmap.add(0);
    assert.deepEqual([...bitmap.toBytes()], [1]);
    bitmap.add(9);
    assert.deepEqual([...bitmap.toBytes()], [2, 1]);
    const read = Bitmap.fromBytes(Uint8Array.of(2, 1), 254);
    assert.deepEqual([...read.offsets()], [0, 9]);
    assert.equal(read.count, 2);
  });

  it('drops bits that lie outside of its range', () => {
    const read = Bitmap.fromBytes(Uint8Array.of(0xff, 0xff), 10);
    assert.equal(read.count, 10);
    assert.equal(read.free, 0);
    assert.equal(read.nextFree(3), undefined);
    assert.equal(read.has(10), false);
    assert.equal(read.add(10), false);
    assert.equal(read.add(-1), false);
  });

  it('goes round in its search for a free offset', () => {
    const bitmap = new Bitmap(20);
    for (let i = 5; i < 20; i++) bitmap.add(i);
    assert.equal(bitmap.nextFree(5), 0);
    assert.equal(bitmap.nextFree(3), 3);
    for (let i = 0; i < 5; i++) if (i !== 4) bitmap.add(i);
    assert.equal(bitmap.nextFree(0), 4);
    assert.equal(bitmap.nextFree(5), 4);
  });

  it('agrees with a set, also through its byte form', () => {
    const commands = fc.array(fc.record({ add: fc.boolean(), offset: fc.integer({ min: -2, max: 70 }) }), { maxLength: 100 });
    fc.assert(fc.property(commands, fc.integer({ min: 1, max: 65 }), (list, size) => {
      const bitmap = new Bitmap(size);
      const model = new Set<number>();
      for (const { add, offset } of list) {
        const inside = offset >= 0 && offset < size;
        if (add) assert.equal(bitmap.add(offset), inside && !model.has(offset) && model.add(offset) !== undefined);
        else assert.equal(bitmap.delete(offset), model.delete(offset));
      }
      const read = Bitmap.fromBytes(bitmap.toBytes(), size);
      assert.deepEqual(new Set(read.offsets()), model);
      assert.equal(read.count, model.size);
      const free = read.nextFree(size - 1);
      assert.equal(free === undefined, model.size === size);
      if (free !== undefined) assert.equal(model.has(free), false);
    }));
  });
});
