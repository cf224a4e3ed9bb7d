import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdServer } from '../../../test/fixtures/etcd-server.ts';
import { nextChanges } from '../event-collector.ts';
import { describeStoreContract } from '../store-contract.ts';
import { StoreUnavailableError, ValueTooLargeError } from '../store-errors.ts';
import { describeStoreModel } from '../store-model.ts';
import { EtcdStore } from './etcd-store.ts';
import { Etcd3Transport } from './etcd3-transport.ts';
import { Http2Transport } from './http2-transport.ts';
import { LazyEtcd3Client } from './lazy-etcd3-client.ts';
import type { EtcdTransport } from './transport.ts';

const transports = ['http2', 'etcd3'] as const;

function openStore(
  servers: readonly string[],
  transport: (typeof transports)[number],
  prefix: string,
  timeoutMs = 5000,
): EtcdStore {
  const client = new LazyEtcd3Client({ servers, tls: {}, timeoutMs });
  const chosen: EtcdTransport =
    transport === 'http2' ? new Http2Transport({ servers, tls: {} }) : new Etcd3Transport(client);
  return new EtcdStore({ transport: chosen, client, prefix, timeoutMs, progressIntervalMs: 1000 });
}

describe('etcd store', function () {
  this.timeout(60_000);
  let server: EtcdServer;
  let stores = 0;
  before(async () => {
    server = await EtcdServer.start();
  });
  after(() => server.stop());

  for (const transport of transports) {
    describeStoreContract({
      name: `etcd over ${transport}`,
      open: async () => openStore([server.url], transport, `/contract-${++stores}/`),
    });
    describeStoreModel(
      `etcd over ${transport}`,
      async () => openStore([server.url], transport, `/model-${++stores}/`),
      15,
    );
  }

  for (const transport of transports) {
    describe(`over ${transport}`, () => {
      let store: EtcdStore;
      const put = async (key: string, value: string | Buffer, expectRevision = 0) => {
        const result = await store.commit(key, { expectRevision, value: Buffer.from(value) });
        assert.ok(result.ok);
        return result.revision;
      };
      beforeEach(() => (store = openStore([server.url], transport, `/own-${++stores}/`)));
      afterEach(() => store.close());

      it('reads and watches answers far above the 4 MB that gRPC takes by default', async () => {
        const start = await store.currentRevision();
        const value = Buffer.alloc(1_200_000, 'x');
        for (let i = 0; i < 8; i++) await put(`a/${i}`, value);
        const page = await store.range('a/');
        assert.deepEqual([page.items.length, page.items.every((item) => value.equals(item.value))], [8, true]);
        assert.equal((await nextChanges(store.watch('a/', start), 8)).length, 8);
      });

      it('takes thousands of calls and tens of megabytes at once', async () => {
        const large = Buffer.alloc(1_000_000, 'x');
        await Promise.all(Array.from({ length: 2000 }, (_, i) => put(`small/${i}`, 'v')));
        await Promise.all(Array.from({ length: 40 }, (_, i) => put(`large/${i}`, large)));
        assert.equal(await store.count(''), 2040);
      });

      it('distinguishes a value that is too large from other failures', async () => {
        await assert.rejects(
          store.commit('a/huge', { expectRevision: 0, value: Buffer.alloc(3_000_000) }),
          ValueTooLargeError,
        );
        assert.equal(await store.get('a/huge'), undefined);
      });

      it('keeps its watch over a restart of etcd, without loss or repetition', async () => {
        const first = await put('a/x', 'one');
        const stream = store.watch('a/', first);
        const second = await put('a/x', 'two', first);
        const events = nextChanges(stream, 3);
        await sleep(200);
        await server.kill();
        await sleep(100);
        const writing = put('a/x', 'three', second);
        await sleep(300);
        await server.restart();
        const third = await writing;
        const fourth = await put('a/x', 'four', third);
        assert.deepEqual(
          (await events).map((line) => parseInt(line, 10)),
          [second, third, fourth],
        );
      });

      it('answers again at once after failures', async () => {
        await server.kill();
        const failures = await Promise.allSettled(Array.from({ length: 5 }, () => store.ping(300)));
        for (const failure of failures)
          assert.ok(failure.status === 'rejected' && failure.reason instanceof StoreUnavailableError);
        await server.restart();
        await store.ping(5000);
        await Promise.all(Array.from({ length: 5 }, () => store.currentRevision()));
      });
    });
  }
});
