import { countOf, inParallel, NAMESPACE, withClient, type Attack, type AttackSize } from './attack.ts';

const ROUNDS = { short: 3, full: 40 } as const;
const OBJECTS = 20;
const VALUE_BYTES = { short: 10_000, full: 500_000 } as const;

const path = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const objectOf = (i: number, size: AttackSize, round: number): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: `large-${i}` },
  stringData: { text: `${round} `.padEnd(VALUE_BYTES[size], 'x') },
});

/** Lists in chunks that are never continued, each of a state that is rewritten whole afterwards. */
export const rewrittenLists: Attack = {
  name: '40 chunked lists, each followed by a rewrite of 10 MB',
  prepare: (target, size) =>
    withClient(target, (client) =>
      inParallel(OBJECTS, 4, async (i) => {
        const { status } = await client.post(path, objectOf(i, size, 0));
        if (status !== 201 && status !== 409) throw new Error(`an object was answered ${status}`);
      }),
    ),
  run: (target, size) =>
    withClient(target, async (client) => {
      const statuses: number[] = [];
      for (let round = 1; round <= ROUNDS[size]; round++) {
        statuses.push((await client.get(`${path}?limit=1`)).status);
        await inParallel(OBJECTS, 4, async (i) => {
          await client.put(`${path}/large-${i}`, objectOf(i, size, round));
        });
      }
      return countOf(statuses);
    }),
};
