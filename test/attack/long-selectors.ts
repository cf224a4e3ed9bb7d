import { ApiClient } from '../fixtures/api-client.ts';
import {
  countOf,
  inParallel,
  NAMESPACE,
  withClient,
  type Attack,
  type AttackSize,
  type AttackTarget,
} from './attack.ts';

const OBJECTS = { short: 200, full: 5000 } as const;
const WATCHES = { short: 10, full: 150 } as const;
const WRITES = { short: 5, full: 30 } as const;
/** What fits into a request's head of 64 KiB beside its other headers. */
const SELECTOR_LENGTH = 60_000;

const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

/** As many requirements as there may be; each watch has its own, so that no two can share. */
function manyRequirements(max: number, i: number): string {
  const requirements = [`a!=${i}`];
  for (let length = 0; requirements.length < max && length < SELECTOR_LENGTH; length += requirements.at(-1)!.length + 1)
    requirements.push(`k${requirements.length}!=v`);
  return requirements.join(',');
}

/** One requirement of as many values as fit. */
function manyValues(i: number): string {
  const values: string[] = [];
  for (let length = 0; length < SELECTOR_LENGTH; length += values.at(-1)!.length + 1)
    values.push(`v${i}-${values.length}`);
  return `app notin (${values.join(',')})`;
}

async function putObjects(target: AttackTarget, size: AttackSize): Promise<void> {
  await withClient(target, (client) =>
    inParallel(OBJECTS[size], 16, async (i) => {
      const { status } = await client.post(path, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `selected-${i}`, labels: { app: `app-${i % 50}`, tier: 'web' } },
        data: { a: 'b' },
      });
      if (status !== 201 && status !== 409) throw new Error(`an object was answered ${status}`);
    }),
  );
}

/** Lists over many objects with selectors as long as a request can be. */
export const selectiveLists: Attack = {
  name: 'lists of 5,000 objects by selectors of 64 KiB',
  prepare: putObjects,
  run: (target, size) =>
    withClient(target, async (client) => {
      const statuses: number[] = [];
      for (let i = 0; i < (size === 'full' ? 10 : 2); i++) {
        for (const selector of [manyRequirements(10_000, i), manyRequirements(255, i), manyValues(i)]) {
          statuses.push(
            (
              await client.send(
                'GET',
                `${path}?limit=1&labelSelector=${encodeURIComponent(selector)},app%3Dnone`.replace(/%2C/g, ','),
                { timeoutMs: 120_000 },
              )
            ).status,
          );
        }
      }
      return countOf(statuses);
    }),
};

/** Watches with such selectors, beside which others write. */
export const selectiveWatches: Attack = {
  name: '150 watches by selectors of 64 KiB, and 30 writes',
  prepare: putObjects,
  async run(target, size) {
    // A client has a bounded number of connections.
    const clients = Array.from({ length: WATCHES[size] }, () => new ApiClient(target.url, target.token));
    const watches = clients.map((client, i) =>
      client.watch(
        `${path}?watch=true&resourceVersion=0&labelSelector=${encodeURIComponent([manyRequirements(10_000, i), manyRequirements(256, i), manyValues(i)][i % 3]!).replace(/%2C/g, ',')}`,
      ),
    );
    try {
      for (let waited = 0; watches.some(({ status, ended }) => status === 0 && !ended) && waited < 60_000; waited += 50)
        await new Promise((resolve) => setTimeout(resolve, 50));
      await withClient(target, async (writer) => {
        for (let i = 0; i < WRITES[size]; i++)
          await writer.patch(`${path}/selected-0`, 'merge', { data: { a: String(i) } });
      });
      return countOf(watches.map(({ status }) => status));
    } finally {
      for (const watch of watches) watch.close();
      for (const client of clients) client.close();
    }
  },
};
