import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { atEndOfTurn } from './end-of-turn.ts';

describe('atEndOfTurn', () => {
  let sent: string[];
  let now: number;
  beforeEach(() => {
    [sent, now] = [[], 0];
  });
  const send = (...names: string[]): void => {
    for (const name of names)
      atEndOfTurn(
        () => void sent.push(name),
        () => now,
      );
  };

  it('sends in order when the turn ends, not before', async () => {
    send('a', 'b');
    await Promise.resolve();
    send('c');
    assert.deepEqual(sent, []);
    await turn();
    assert.deepEqual(sent, ['a', 'b', 'c']);
  });

  it('sends all at once where the turn is long', async () => {
    send('a');
    now = 0.9;
    send('b');
    assert.deepEqual(sent, []);
    now = 1;
    send('c');
    assert.deepEqual(sent, ['a', 'b', 'c']);
    await turn();
    assert.deepEqual(sent, ['a', 'b', 'c']);
  });

  it('counts the time of later sends afresh', async () => {
    send('a');
    now = 5;
    send('b', 'c');
    assert.deepEqual(sent, ['a', 'b']);
    await turn();
    assert.deepEqual(sent, ['a', 'b', 'c']);
  });

  it('runs what a send adds', async () => {
    atEndOfTurn(
      () => send('later'),
      () => now,
    );
    await turn();
    await turn();
    assert.deepEqual(sent, ['later']);
  });
});
