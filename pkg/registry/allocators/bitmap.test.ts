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

  it('drops bits outside of its range', () => {
    const read = Bitmap.fromBytes(Uint8Array.of(0xff, 0xff), 10);
    assert.equal(read.count, 10);
    assert.equal(read.free, 0);
    assert.equal(read.firstFree(3, 10), undefined);
    assert.equal(read.has(10), false);
    assert.equal(read.add(10), false);
    assert.equal(read.add(-1), false);
  });

  it('finds the first free offset between two', () => {
    const bitmap = new Bitmap(40);
    for (let i = 5; i < 38; i++) bitmap.add(i);
    assert.equal(bitmap.firstFree(3, 40), 3);
    assert.equal(bitmap.firstFree(5, 40), 38);
    assert.equal(bitmap.firstFree(5, 38), undefined);
    assert.equal(bitmap.firstFree(5, 5), undefined);
  });

  it('agrees with a set, also through its byte form', () => {
    const commands = fc.array(fc.record({ add: fc.boolean(), offset: fc.integer({ min: -2, max: 70 }) }), {
      maxLength: 100,
    });
    fc.assert(
      fc.property(commands, fc.integer({ min: 1, max: 65 }), (list, size) => {
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
        for (const from of [0, 1, size >> 1, size - 1]) {
          const free = Array.from({ length: size }, (_, i) => i).find((i) => i >= from && !model.has(i));
          assert.equal(read.firstFree(from, size), free);
        }
      }),
    );
  });
});
