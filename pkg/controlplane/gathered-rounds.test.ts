import assert from 'node:assert/strict';
import { until } from '../../test/fixtures/until.ts';
import { GatheredRounds } from './gathered-rounds.ts';

describe('GatheredRounds', () => {
  it('makes one round of many changes, and another of what changes later', async () => {
    let rounds = 0;
    const gathered = new GatheredRounds(async () => {
      rounds++;
    }, assert.ifError);
    for (let i = 0; i < 100; i++) gathered.schedule(1);
    await until(() => rounds === 1, 'the first round');
    gathered.schedule(1);
    await until(() => rounds === 2, 'the second round');
    await gathered.stop();
  });

  it('reports a round that fails and goes on', async () => {
    const errors: unknown[] = [];
    let rounds = 0;
    const gathered = new GatheredRounds(
      async () => {
        if (++rounds === 1) throw new Error('first');
      },
      (error) => errors.push((error as Error).message),
    );
    gathered.schedule(1);
    await until(() => errors.length === 1, 'the failure');
    gathered.schedule(1);
    await until(() => rounds === 2, 'the second round');
    assert.deepEqual(errors, ['first']);
    await gathered.stop();
  });

  it('waits for the running round when it stops, and begins no other', async () => {
    let release!: () => void;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let ended = 0;
    let begun = 0;
    const gathered = new GatheredRounds(async () => {
      begun++;
      await held;
      ended++;
    }, assert.ifError);
    gathered.schedule(1);
    await until(() => begun === 1, 'the round');
    const stopped = gathered.stop();
    assert.ok(gathered.stopped);
    gathered.schedule(0);
    release();
    await stopped;
    assert.deepEqual([begun, ended], [1, 1]);
  });
});
