import { ApiClient } from '../fixtures/api-client.ts';

/** A server under attack, and an ordinary user of it. */
export interface AttackTarget {
  readonly url: string;
  /** Of the attacker, who may do anything but is no administrator. */
  readonly token: string;
}

/**
 * `short`: for the test suite, which wants to know that the attack is answered as it should be; `full`: for measuring.
 */
export type AttackSize = 'short' | 'full';

/**
 * One attack of docs/security.md. What it made of its answers is said in a few words: how many were served, how many
 * refused.
 */
export interface Attack {
  readonly name: string;
  /** Puts there what the attack needs; not measured. Throws where the server does not let it. */
  prepare?(target: AttackTarget, size: AttackSize): Promise<void>;
  run(target: AttackTarget, size: AttackSize): Promise<string>;
}

/** The namespace in which attacks write. */
export const NAMESPACE = 'attacks';

export async function withClient<T>({ url, token }: AttackTarget, use: (client: ApiClient) => Promise<T>): Promise<T> {
  const client = new ApiClient(url, token);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

/** `200: 5, 429: 10`. */
export function countOf(statuses: readonly (number | string)[]): string {
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(String(status), (counts.get(String(status)) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');
}

/** Runs `work` for 0 to `count` - 1, so many at a time. */
export async function inParallel(count: number, atATime: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(atATime, count) }, async () => {
      while (next < count) await work(next++);
    }),
  );
}
