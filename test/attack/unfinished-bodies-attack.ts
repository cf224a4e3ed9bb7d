import type { Attack } from './attack.ts';
import { sendUnfinishedBodies } from './unfinished-bodies.ts';

/** A thousand bodies of 3 MiB at a time, on one connection, from a client without credentials. */
export const unfinishedBodiesAttack: Attack = {
  name: '1,000 unfinished bodies of 3 MiB, no credentials',
  async run({ url }, size) {
    const { answered, unanswered } = await sendUnfinishedBodies({
      url,
      streams: size === 'full' ? 1000 : 50,
      bodyBytes: size === 'full' ? 3 * 1024 * 1024 : 256 * 1024,
      holdMs: 15_000,
    });
    return `${[...answered].map(([status, count]) => `${status}: ${count}`).join(', ')}${unanswered === 0 ? '' : `, unanswered: ${unanswered}`}`;
  },
};
