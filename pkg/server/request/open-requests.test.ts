import assert from 'node:assert/strict';
import { OpenRequests } from './open-requests.ts';

describe('OpenRequests', () => {
  it('is over when the last request is, failed and later ones included', async () => {
    const requests = new OpenRequests();
    await requests.over();
    const ends: (() => void)[] = [];
    const open = (): Promise<void> => requests.track(new Promise((resolve) => void ends.push(resolve)));
    const first = open();
    const failed = requests.track(Promise.reject(new Error('no')));
    let isOver = false;
    const over = requests.over().then(() => {
      isOver = true;
    });
    const second = open();
    await assert.rejects(failed, { message: 'no' });
    ends[0]!();
    await first;
    assert.equal(isOver, false);
    ends[1]!();
    await Promise.all([second, over]);
  });
});
