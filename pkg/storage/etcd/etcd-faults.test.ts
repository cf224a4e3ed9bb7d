import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdServer } from '../../../test/fixtures/etcd-server.ts';
import { TcpProxy } from '../../../test/fixtures/tcp-proxy.ts';
import { nextChanges } from '../event-collector.ts';
import { CompactedError, StoreRewoundError, StoreUnavailableError } from '../store-errors.ts';
import type { Store } from '../store.ts';
import { openEtcdStore } from './open-etcd-store.ts';

const portOf = (server: EtcdServer) => Number(new URL(server.url).port);

for (const transport of ['http2', 'etcd3'] as const) {
  describe(`etcd store over ${transport}, when things break`, function () {
    this.timeout(60_000);
    let server: EtcdServer;
    let proxy: TcpProxy;
    let store: Store;
    let opened = 0;
    const open = async (servers: string[], timeoutMs = 3000) =>
      (store = await openEtcdStore({
        servers,
        prefix: `/faults-${++opened}`,
        transport,
        timeoutMs,
        progressIntervalMs: 500,
      }));
    const commit = (key: string, value: string | undefined, expectRevision = 0) =>
      store.commit(key, { expectRevision, ...(value !== undefined && { value: Buffer.from(value) }) });
    const put = async (key: string, value: string, expectRevision = 0) => {
      const result = await commit(key, value, expectRevision);
      assert.ok(result.ok);
      return result.revision;
    };

    before(async () => {
      server = await EtcdServer.start();
    });
    after(() => server.stop());
    beforeEach(async () => {
      proxy = await TcpProxy.start(portOf(server));
      await open([`http://127.0.0.1:${proxy.port}`]);
      await store.currentRevision();
    });
    afterEach(async () => {
      await store.close();
      await proxy.stop();
    });

    it('reports its own success when the answer to a write is lost', async () => {
      const before = await store.currentRevision();
      proxy.loseNextAnswer();
      assert.deepEqual(await commit('a/x', 'one'), { ok: true, revision: before + 1 });
      proxy.loseNextAnswer();
      assert.deepEqual(await commit('a/x', 'two', before + 1), { ok: true, revision: before + 2 });
      proxy.loseNextAnswer();
      const deleted = await commit('a/x', undefined, before + 2);
      assert.ok(deleted.ok && deleted.revision >= before + 3);
      assert.equal((await nextChanges(store.watch('a/', before), 3)).length, 3, 'something was sent twice');
    });

    it('reports the conflict when the answer to it is lost', async () => {
      const first = await put('a/x', 'theirs');
      proxy.loseNextAnswer();
      const result = await commit('a/x', 'ours', first + 100);
      assert.ok(!result.ok);
      assert.equal(result.current?.modRevision, first);
    });

    it('reports an unknown result when a creation was lost in transit', async () => {
      proxy.dropRequests();
      const writing = commit('a/x', 'one');
      setTimeout(() => proxy.cut(), 200);
      await assert.rejects(writing, (error) => error instanceof StoreUnavailableError && error.ambiguous);
      assert.equal(await store.get('a/x'), undefined);
    });

    it('sends an update again that was lost in transit', async () => {
      const first = await put('a/x', 'one');
      proxy.dropRequests();
      const writing = commit('a/x', 'two', first);
      setTimeout(() => proxy.cut(), 200);
      assert.deepEqual(await writing, { ok: true, revision: first + 1 });
      proxy.dropRequests();
      const deleting = commit('a/x', undefined, first + 1);
      setTimeout(() => proxy.cut(), 200);
      assert.deepEqual(await deleting, { ok: true, revision: first + 2 });
    });

    it('gives up in time when nothing answers, and works when a server does', async () => {
      proxy.dropRequests();
      const started = performance.now();
      await assert.rejects(store.ping(500), StoreUnavailableError);
      assert.ok(performance.now() - started < 2000);
      proxy.cut();
      await store.ping(3000);
    });

    it('waits for a server whose every answer is slow', async () => {
      proxy.delayAnswers(2200);
      await open([`http://127.0.0.1:${proxy.port}`], 30_000);
      assert.ok((await store.currentRevision()) > 0);
    });

    it('reports why nothing answered, not the last short timeout', async () => {
      await open(['http://127.0.0.1:1'], 400);
      await assert.rejects(
        store.currentRevision(),
        (error: Error) => error instanceof StoreUnavailableError && !/no answer within/.test(error.message),
      );
    });

    it('keeps reading over broken connections', async () => {
      await put('a/x', 'one');
      const cutting = setInterval(() => proxy.cut(), 20);
      try {
        for (let i = 0; i < 30; i++) assert.equal((await store.range('a/')).items.length, 1);
      } finally {
        clearInterval(cutting);
      }
    });

    it('loses and repeats no event while connections break', async () => {
      const start = await store.currentRevision();
      const writer = await openEtcdStore({ servers: [server.url], prefix: `/faults-${opened}`, transport });
      const writes = 300;
      const events = nextChanges(store.watch('a/', start), writes);
      const cutting = setInterval(() => proxy.cut(), 30);
      try {
        for (let i = 0; i < writes; i++) {
          await writer.commit(`a/${i}`, { expectRevision: 0, value: Buffer.alloc(1000) });
          if (i % 10 === 0) await sleep(10);
        }
      } finally {
        clearInterval(cutting);
        await writer.close();
      }
      assert.deepEqual(
        (await events).map((line) => parseInt(line, 10) - start),
        Array.from({ length: writes }, (_, i) => i + 1),
      );
    });

    it('tries the next server when one is down, for calls and watches', async () => {
      await store.close();
      const second = await TcpProxy.start(portOf(server));
      await open([`http://127.0.0.1:${proxy.port}`, `http://127.0.0.1:${second.port}`], 5000);
      await store.currentRevision();
      let revision = await put('a/x', 'zero');
      const events = nextChanges(store.watch('a/', revision), 3);
      revision = await put('a/x', 'one', revision);
      await proxy.stop();
      revision = await put('a/x', 'two', revision);
      proxy = await TcpProxy.start(portOf(server), proxy.port);
      await second.stop();
      await put('a/x', 'three', revision);
      assert.equal((await events).length, 3);
    });

    it('ends a watch whose position was compacted while it was disconnected', async () => {
      const first = await put('a/x', 'one');
      const stream = store.watch('a/', first);
      const events = nextChanges(stream, 10);
      await sleep(100);
      const port = proxy.port;
      await proxy.stop();
      const writer = await openEtcdStore({ servers: [server.url], prefix: `/faults-${opened}`, transport });
      const second = await writer.commit('a/x', { expectRevision: first, value: Buffer.from('two') });
      const third = await writer.commit('a/x', {
        expectRevision: second.ok ? second.revision : 0,
        value: Buffer.from('three'),
      });
      await writer.compact(third.ok ? third.revision : 0);
      await writer.close();
      proxy = await TcpProxy.start(portOf(server), port);
      await assert.rejects(events, CompactedError);
    });

    it('notices that the store went back, on watches and on reads', async () => {
      const own = await EtcdServer.start();
      await store.close();
      await open([own.url]);
      let revision = await put('a/x', '0');
      for (let i = 1; i < 20; i++) revision = await put('a/x', `${i}`, revision);
      const events = nextChanges(store.watch('a/', revision), 1);
      await sleep(100);
      await own.kill();
      rmSync(`${own.dataDir}/member`, { recursive: true });
      await own.restart();
      const failures = await Promise.allSettled([events, store.currentRevision()]);
      for (const failure of failures) {
        assert.ok(
          failure.status === 'rejected' && failure.reason instanceof StoreRewoundError,
          JSON.stringify(failure),
        );
      }
      await assert.rejects(nextChanges(store.watch('a/', revision), 1), StoreRewoundError);
      assert.ok((await store.currentRevision()) < revision, 'once reported, the restored store is used as it is');
      await put('a/y', 'new');
      await own.stop();
    });
  });
}
