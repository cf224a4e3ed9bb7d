import { countOf, NAMESPACE, withClient, type Attack, type AttackSize } from './attack.ts';

const podOf = (spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'attack' },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }], ...spec },
});
const count = (size: AttackSize, full: number): number => (size === 'full' ? full : 2000);

/** Dry runs of pods with as many entries of one name as a body holds: each is a warning. */
export const repeatedNames: Attack = {
  name: 'dry runs of pods with 40,000 env entries and 30,000 host aliases of one name',
  run: (target, size) =>
    withClient(target, async (client) => {
      const env = podOf({
        containers: [
          { name: 'c', image: 'i', env: Array.from({ length: count(size, 40_000) }, () => ({ name: 'A' })) },
        ],
      });
      const aliases = podOf({ hostAliases: Array.from({ length: count(size, 30_000) }, () => ({ ip: '10.0.0.1' })) });
      const statuses: number[] = [];
      for (const body of [env, aliases]) {
        const { status } = await client.send('POST', `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`, {
          body,
          timeoutMs: 120_000,
        });
        statuses.push(status);
      }
      return countOf(statuses);
    }),
};
