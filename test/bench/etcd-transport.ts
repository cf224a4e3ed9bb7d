/**
 * Compares the transports of the etcd store: calls per second and client CPU per call, 32 in flight, values of 2.5 KB.
 * Run: node --import tsx test/bench/etcd-transport.ts [calls]
 */
import { openEtcdStore } from '../../pkg/storage/etcd/open-etcd-store.ts';
import type { Store } from '../../pkg/storage/store.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';

const calls = Number(process.argv[2] ?? 5000);
const inFlight = 32;
const value = Buffer.alloc(2500, 'v');

async function measure(name: string, count: number, call: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await call(next++);
  };
  const started = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - started) / 1000;
  const used = process.cpuUsage(cpu);
  const perCall = (used.user + used.system) / count;
  console.log(
    `${name.padEnd(34)} ${String(Math.round(count / seconds)).padStart(6)} /s  ${perCall.toFixed(0).padStart(6)} µs CPU`,
  );
}

async function readEvents(store: Store, fromRevision: number): Promise<void> {
  let seen = 0;
  for await (const batch of store.watch('bench/', fromRevision)) {
    seen += batch.events.length;
    if (seen >= calls) return;
  }
}

async function benchStore(name: string, store: Store): Promise<void> {
  const put = (i: number) => store.commit(`bench/${i}`, { expectRevision: 0, value });
  for (let i = 0; i < 300; i++) await put(-1 - i);
  await measure(`${name}: create`, calls, put);
  await measure(`${name}: get`, calls, (i) => store.get(`bench/${i}`));
  await measure(`${name}: current revision`, calls, () => store.currentRevision());
  await measure(`${name}: list of ${calls}, per key`, calls, (i) =>
    i === 0 ? store.range('bench/') : Promise.resolve(),
  );
  const start = await store.currentRevision();
  await measure(`${name}: events of the past`, calls, (i) =>
    i === 0 ? readEvents(store, start - calls) : Promise.resolve(),
  );
  const watching = readEvents(store, start);
  await measure(`${name}: create, with its live event`, calls, (i) => put(calls + i));
  await watching;
}

const server = await EtcdServer.start();
try {
  for (const transport of ['etcd3', 'http2'] as const) {
    const store = openEtcdStore({ servers: [server.url], prefix: `/bench-${transport}`, transport });
    await benchStore(transport, store);
    await store.close();
  }
} finally {
  await server.stop();
}
