import { setTimeout as sleep } from 'node:timers/promises';
import { NAMESPACE, type Attack } from './attack.ts';
import { rewrittenLists } from './rewritten-lists.ts';
import { holdUnreadLists } from './unread-lists.ts';

const HOLD_MS = { short: 1000, full: 15_000 } as const;

/**
 * Lists that their client asks for and does not read. How many are served and how many refused is a matter of time; the
 * short form says whether any were.
 */
export const unreadListsAttack: Attack = {
  name: '400 lists of 10 MB that one user does not read',
  prepare: rewrittenLists.prepare!,
  async run({ url, token }, size) {
    const running = holdUnreadLists({
      url,
      token,
      lists: size === 'full' ? 100 : 10,
      connections: 4,
      path: `/api/v1/namespaces/${NAMESPACE}/secrets`,
    });
    await sleep(HOLD_MS[size]);
    running.stop();
    const counts = [...running.answered].sort(([a], [b]) => a - b);
    return size === 'full'
      ? counts.map(([status, count]) => `${status}: ${count}`).join(', ')
      : counts[0]?.[0] === 200
        ? 'served'
        : 'none served';
  },
};
