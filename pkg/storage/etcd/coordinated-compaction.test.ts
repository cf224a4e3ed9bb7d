import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdServer } from '../../../test/fixtures/etcd-server.ts';
import { CompactedError } from '../store-errors.ts';
import { CoordinatedCompaction, takeTurn } from './coordinated-compaction.ts';
import { Http2Transport } from './http2-transport.ts';
import { openEtcdStore } from './open-etcd-store.ts';
import type { EtcdTransport } from './transport.ts';

describe('CoordinatedCompaction', () => {
  it('reports a turn that fails, and takes the next', async () => {
    let turns = 0;
    const reported: string[] = [];
    const swap = (): Promise<never> => (turns++, Promise.reject(new Error('no leader')));
    const compaction = new CoordinatedCompaction({
      transport: { swap } as unknown as EtcdTransport,
      compact: () => Promise.resolve(),
      intervalMs: 5,
      timeoutMs: 1000,
      report: (task, error) => reported.push(`${task}: ${(error as Error).message}`),
    });
    while (turns < 2) await sleep(5);
    await new Promise(setImmediate);
    compaction.stop();
    assert.deepEqual(new Set(reported), new Set(['history compaction: no leader']));
    assert.equal(reported.length, turns);
  });
});

describe('coordinated compaction', function () {
  this.timeout(60_000);
  let server: EtcdServer;
  before(async () => {
    server = await EtcdServer.start();
  });
  after(() => server.stop());

  it('lets one of several servers compact per interval, to the revision of the interval before', async () => {
    const transport = new Http2Transport({ servers: [server.url], tls: {} });
    const compacted: string[] = [];
    const turnOf = (name: string) => {
      let turn = { version: 0, revision: 0 };
      return async () => {
        const compact = async (revision: number) => void compacted.push(`${name}@${revision}`);
        turn = await takeTurn({ transport, timeoutMs: 5000, compact }, turn);
        return turn;
      };
    };
    const [a, b] = [turnOf('a'), turnOf('b')];
    const first = await a();
    assert.equal((await b()).version, first.version, 'the second server learns the count');
    assert.deepEqual(compacted, [], 'no revision is known yet');
    const seenByB = (await b()).revision;
    assert.deepEqual(compacted, [`b@${first.revision}`]);
    await a();
    assert.deepEqual(compacted, [`b@${first.revision}`], 'the other was faster');
    await a();
    assert.deepEqual(compacted, [`b@${first.revision}`, `a@${seenByB}`]);
    const key = Buffer.from('compact_rev_key');
    const { items } = await transport.range({ key }, { timeoutMs: 5000 });
    assert.deepEqual([items[0]?.value.toString(), items[0]?.version], [String(seenByB), 3]);
    transport.close();
  });

  it('runs when an interval is set, and not otherwise', async () => {
    const store = openEtcdStore({ servers: [server.url], prefix: '/own' });
    const created = await store.commit('a', { expectRevision: 0, value: Buffer.from('1') });
    assert.ok(created.ok);
    await store.commit('a', { expectRevision: created.revision, value: Buffer.from('2') });
    const other = openEtcdStore({ servers: [server.url], prefix: '/own', compactionIntervalMs: 50 });
    await other.currentRevision();
    await assert.rejects(async () => {
      for (;;) {
        await store.get('a', { revision: created.revision });
        await sleep(20);
      }
    }, CompactedError);
    assert.equal(Buffer.from((await store.get('a'))!.value).toString(), '2');
    await other.close();
    const revision = await store.currentRevision();
    await sleep(200);
    assert.equal(await store.currentRevision(), revision, 'no server takes turns any more');
    await store.close();
  });
});
