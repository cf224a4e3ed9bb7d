import assert from 'node:assert/strict';
import { TimeSlice } from './time-slice.ts';
import { turnsDuring } from './turns-testing.ts';

describe('TimeSlice', () => {
  it('shares the time of a turn among all work, and yields in between', async () => {
    const order: number[] = [];
    let waits = 0;
    const work = async (id: number): Promise<void> => {
      const slice = new TimeSlice();
      for (let step = 0; step < 3; step++) {
        for (const end = performance.now() + 5; performance.now() < end;);
        waits++;
        await slice.next();
        order.push(id);
      }
    };
    const turns = await turnsDuring(() => Promise.all([0, 1, 2].map(work)));
    assert.equal(waits, 9);
    assert.ok(turns >= 9, `${turns} turns`);
    assert.deepEqual(order, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
  });

  it('gives the next in line the whole time of its turn, beside work of long steps', async () => {
    let waits = 0;
    let isDone = false;
    const long = async (): Promise<void> => {
      const slice = new TimeSlice();
      while (!isDone) {
        for (const end = performance.now() + 8; performance.now() < end;);
        if (slice.over) await slice.next();
      }
    };
    const short = async (): Promise<void> => {
      const slice = new TimeSlice();
      for (let step = 0; step < 1000; step++) {
        if (!slice.over) continue;
        waits++;
        await slice.next();
      }
      isDone = true;
    };
    await Promise.all([long(), short()]);
    assert.ok(waits < 50, `${waits} waits`);
  });

  it('is not over at once in a new turn', async () => {
    const slice = new TimeSlice();
    await slice.next();
    await new Promise(setImmediate);
    assert.equal(new TimeSlice().over, false);
  });
});
