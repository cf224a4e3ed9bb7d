import assert from 'node:assert/strict';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { DeliveryTurns } from './delivery-turns.ts';

describe('DeliveryTurns', () => {
  let delivered: string[];
  const lane = (name: string, size: number) => ({ size, deliver: () => void delivered.push(name) });

  beforeEach(() => {
    delivered = [];
  });

  it('lets small lanes share a turn, first come, first served', async () => {
    const turns = new DeliveryTurns();
    for (const name of ['a', 'b', 'c']) turns.request(lane(name, 1), 0);
    assert.deepEqual(delivered, []);
    await nextTurn();
    assert.deepEqual(delivered, ['a', 'b', 'c']);
  });

  it('ends a turn after a large lane', async () => {
    const turns = new DeliveryTurns();
    for (const name of ['a', 'b', 'c']) turns.request(lane(name, 64), 0);
    const seen: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await nextTurn();
      seen.push(delivered.length);
    }
    assert.deepEqual(seen, [1, 2, 3]);
  });

  it('keeps a lane waiting without delaying others', async () => {
    const turns = new DeliveryTurns();
    const gathering = new Promise<void>((resolve) =>
      turns.request({ size: 1, deliver: () => resolve(void delivered.push('gathering')) }, 5),
    );
    turns.request(lane('quiet', 1), 0);
    await gathering;
    assert.deepEqual(delivered, ['quiet', 'gathering']);
  });

  it('gathers events only under load', () => {
    let load = 0;
    const turns = new DeliveryTurns(() => load);
    const gathered = [0, 0.7, 0.8, 0.9, 1].map((share) => {
      load = share;
      return Math.round(turns.gathering * 100) / 100;
    });
    assert.deepEqual(gathered, [0, 0, 0.5, 1, 1]);
  });

  it('measures an idle event loop as idle, and a busy one as busy', async () => {
    const turns = new DeliveryTurns();
    await sleep(60);
    assert.equal(turns.gathering, 0);
    for (const end = performance.now() + 300; performance.now() < end;) await nextTurn();
    assert.equal(turns.gathering, 1);
  });
});
