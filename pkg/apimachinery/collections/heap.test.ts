import assert from 'node:assert/strict';
import { Heap } from './heap.ts';

interface Numbered {
  value: number;
  at: number;
}

describe('Heap', () => {
  const entry = (value: number): Numbered => ({ value, at: -1 });
  const popAll = (heap: Heap<Numbered>): number[] => {
    const values: number[] = [];
    for (let next = heap.pop(); next !== undefined; next = heap.pop()) values.push(next.value);
    return values;
  };
  const filled = (values: readonly number[]): { heap: Heap<Numbered>; entries: Numbered[] } => {
    const heap = new Heap<Numbered>((a, b) => a.value < b.value);
    const entries = values.map(entry);
    for (const one of entries) heap.push(one);
    return { heap, entries };
  };
  const values = Array.from({ length: 500 }, (_, i) => (i * 7919) % 503);

  it('gives entries in their order', () => {
    const { heap } = filled(values);
    assert.deepEqual([heap.size, heap.first?.value], [500, 0]);
    assert.deepEqual(
      popAll(heap),
      values.toSorted((a, b) => a - b),
    );
    assert.deepEqual([heap.size, heap.first, heap.pop()], [0, undefined, undefined]);
  });

  it('loses any entry, and the others keep their order', () => {
    const { heap, entries } = filled(values);
    const removed = entries.filter((_, i) => i % 3 === 0);
    for (const one of removed) heap.remove(one);
    assert.ok(removed.every(({ at }) => at === -1));
    assert.deepEqual(
      popAll(heap),
      entries
        .filter((_, i) => i % 3 !== 0)
        .map(({ value }) => value)
        .toSorted((a, b) => a - b),
    );
  });

  it('moves an entry forward that changed', () => {
    const { heap, entries } = filled(values);
    entries[400]!.value = -1;
    heap.rise(entries[400]!);
    assert.equal(heap.first, entries[400]);
  });

  it('is empty when it is cleared', () => {
    const { heap, entries } = filled([2, 1]);
    heap.clear();
    assert.deepEqual([heap.size, entries.map(({ at }) => at)], [0, [-1, -1]]);
  });
});
