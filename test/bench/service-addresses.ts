/**
 * What it costs to give services their addresses: creates and deletes of services with a cluster IP, by CPU of the
 * server and latency. Another build is measured by naming its file in BINNACLE_PROGRAM; compare two of them in turns,
 * since their speed depends on what else the machine does. Run: node --import tsx test/bench/service-addresses.ts
 * [etcd|embedded] [services]
 */
import { ApiClient, type Answer } from '../fixtures/api-client.ts';
import { startBinnacle } from '../fixtures/binnacle-process.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { cpuMicrosBetween, cpuOfThreads } from './process-usage.ts';
import { number, table, time } from './text-table.ts';

const [kind = 'etcd', count = '3000'] = process.argv.slice(2);
const CONNECTIONS = 16;
const path = '/api/v1/namespaces/default/services';

const etcd = kind === 'etcd' ? await EtcdServer.start() : undefined;
const server = await startBinnacle([
  '--service-cluster-ip-range=10.64.0.0/16',
  ...(etcd === undefined ? ['--storage-backend=embedded'] : ['--storage-backend=etcd3', `--store-servers=${etcd.url}`]),
]);
const client = new ApiClient(server.url, server.token);
const lines = [['operation', 'CPU', 'p50', 'p99', 'per second']];

async function measure(
  title: string,
  operations: number,
  connections: number,
  one: (i: number) => Promise<Answer>,
): Promise<void> {
  const micros: number[] = [];
  const before = cpuOfThreads(server.pid);
  const begin = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let i = next++; i < operations; i = next++) {
        const sent = performance.now();
        const { status, body } = await one(i);
        if (status > 201) throw new Error(body.toString());
        micros.push((performance.now() - sent) * 1000);
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  const at = (share: number): string => time(micros[Math.floor(operations * share)]);
  micros.sort((a, b) => a - b);
  lines.push([
    title,
    time(cpuMicrosBetween(before, cpuOfThreads(server.pid)) / operations),
    at(0.5),
    at(0.99),
    number(operations / seconds),
  ]);
}

const create =
  (prefix: string) =>
  (i: number): Promise<Answer> =>
    client.post(path, { metadata: { name: `${prefix}-${i}` }, spec: { ports: [{ port: 80 }] } });
try {
  await measure('warming up', 1000, CONNECTIONS, create('warm'));
  await measure('create, one at a time', 500, 1, create('one'));
  await measure(`create, ${CONNECTIONS} at a time`, Number(count), CONNECTIONS, create('many'));
  await measure(`delete, ${CONNECTIONS} at a time`, Number(count), CONNECTIONS, (i) =>
    client.delete(`${path}/many-${i}`),
  );
  console.log(table(lines).join('\n'));
} finally {
  client.close();
  await server.stop();
  await etcd?.stop();
}
