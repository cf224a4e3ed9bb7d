import assert from 'node:assert/strict';
import { WatchSessions, type OpenWatch } from './watch-sessions.ts';

describe('WatchSessions', () => {
  it('ends those watches of a user whose client holds most, until the others fit', async () => {
    const watches = new WatchSessions({ watchesMax: 0, bytesMax: 100 });
    const ended: string[] = [];
    const opened = (
      [
        ['anna', 60],
        ['anna', 30],
        ['anna', 50],
        ['anna', 0],
        ['bert', 100],
      ] as const
    ).map(([user, bufferedBytes], i): OpenWatch => ({
      session: undefined as never,
      place: watches.place(user, 0),
      bufferedBytes,
      bookmark: () => undefined,
      endWith: () => undefined,
      end: () => void ended.push(`${user} ${i}`),
    }));
    for (const watch of opened) watches.add(watch);
    await watches.sweep();
    assert.deepEqual(ended, ['anna 0']);
    for (const watch of opened) watches.remove(watch);
    assert.equal(watches.size, 0);
  });
});
