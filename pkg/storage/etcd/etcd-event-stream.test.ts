import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompactedError, StoreRewoundError, StoreUnavailableError } from '../store-errors.ts';
import type { StoreEvent } from '../store.ts';
import { EtcdEventStream } from './etcd-event-stream.ts';
import type { WatchConnection, WatchListener, WatchRange } from './watch-connection.ts';

/** Watches that the test controls. */
class FakeEtcd {
  readonly starts: number[] = [];
  readonly paused: boolean[] = [];
  abandoned = 0;
  listener!: WatchListener;
  revision = 100;
  lastChange: (after: number, upTo: number) => Promise<number> = async (after) => after;

  open = (range: WatchRange, listener: WatchListener): WatchConnection => {
    this.starts.push(range.startRevision);
    this.listener = listener;
    return {
      pause: () => this.paused.push(true),
      resume: () => this.paused.push(false),
      close: () => undefined,
      abandon: () => this.abandoned++,
    };
  };

  /** Resolves when the stream has opened its next watch. */
  async opened(count: number): Promise<void> {
    while (this.starts.length < count) await sleep(5);
  }
}

const put = (revision: number): StoreEvent => ({
  type: 'put',
  key: `k${revision}`,
  revision,
  value: Buffer.from('v'),
  createRevision: revision,
});
const broken = { kind: 'broken', cause: new Error('reset') } as const;

describe('etcd event stream', () => {
  let etcd: FakeEtcd;
  let stream: EtcdEventStream;
  let closed: number;
  beforeEach(() => {
    etcd = new FakeEtcd();
    closed = 0;
    stream = new EtcdEventStream({
      open: etcd.open,
      key: Buffer.from('/p/'),
      end: Buffer.from('/p0'),
      prefixBytes: '/p/'.length,
      fromRevision: 10,
      progressIntervalMs: 60_000,
      currentRevision: async () => etcd.revision,
      lastChange: (after, upTo) => etcd.lastChange(after, upTo),
      onClose: () => closed++,
    });
  });
  afterEach(() => stream.close());
  const next = async () => {
    const { value } = await stream.next();
    return [value.revision, value.events.map((event: StoreEvent) => event.key)];
  };

  it('continues right after what it delivered, although the server had announced more progress', async () => {
    etcd.listener.onCreated({ revision: 100, clusterId: 1 });
    etcd.listener.onEnd(broken);
    await etcd.opened(2);
    etcd.listener.onCreated({ revision: 100, clusterId: 1 });
    etcd.listener.onEvents([put(11), put(12)]);
    etcd.listener.onEnd(broken);
    await etcd.opened(3);
    assert.deepEqual(etcd.starts, [11, 11, 13]);
    assert.deepEqual(await next(), [12, ['k11', 'k12']]);
  });

  it('continues after the progress that the server confirmed, and delivers nothing twice', async () => {
    etcd.listener.onProgress(50);
    etcd.listener.onEvents([put(50), put(51)]);
    etcd.listener.onProgress(20);
    etcd.listener.onEnd(broken);
    await etcd.opened(2);
    assert.equal(etcd.starts[1], 52);
    assert.deepEqual(
      [await next(), await next(), await next()],
      [
        [50, []],
        [51, ['k51']],
        [51, []],
      ],
    );
  });

  it('ignores the listener of an old connection', async () => {
    const old = etcd.listener;
    old.onEnd(broken);
    await etcd.opened(2);
    old.onEnd(broken);
    await sleep(200);
    assert.equal(etcd.starts.length, 2);
  });

  it('reports progress at once when nothing is missing, else when the changes have arrived', async () => {
    stream.requestProgress();
    assert.deepEqual(await next(), [100, []]);
    etcd.revision = 200;
    let probed: number[] = [];
    etcd.lastChange = async (after, upTo) => {
      probed = [after, upTo];
      return 150;
    };
    stream.requestProgress();
    await sleep(10);
    assert.deepEqual(probed, [100, 200]);
    etcd.listener.onEvents([put(120)]);
    etcd.listener.onEvents([put(150)]);
    assert.deepEqual(
      [await next(), await next(), await next()],
      [
        [120, ['k120']],
        [150, ['k150']],
        [200, []],
      ],
    );
  });

  it('repeats what it knows when progress cannot be read', async () => {
    etcd.lastChange = () => Promise.reject(new Error('no answer'));
    stream.requestProgress();
    assert.deepEqual(await next(), [10, []]);
  });

  it('fails when its position was compacted, after delivering what it had', async () => {
    etcd.listener.onEvents([put(11)]);
    etcd.listener.onEnd({ kind: 'compacted', compactRevision: 80 });
    assert.deepEqual(await next(), [11, ['k11']]);
    await assert.rejects(stream.next(), (error) => error instanceof CompactedError && error.compactRevision === 80);
    assert.equal(closed, 1);
    assert.equal((await stream.next()).done, true);
  });

  it('fails when it may not watch, and reconnects after any other refusal', async () => {
    etcd.listener.onEnd({ kind: 'refused', reason: 'etcdserver: no leader' });
    await etcd.opened(2);
    etcd.listener.onEnd({ kind: 'refused', reason: 'etcdserver: permission denied' });
    await assert.rejects(stream.next(), StoreUnavailableError);
  });

  it('fails when the store went back, not when only a member lags', async () => {
    etcd.listener.onEvents([put(90)]);
    await next();
    etcd.listener.onCreated({ revision: 60, clusterId: 1 });
    await sleep(20);
    etcd.listener.onEvents([put(91)]);
    assert.deepEqual(await next(), [91, ['k91']]);
    etcd.revision = 30;
    etcd.listener.onCreated({ revision: 30, clusterId: 1 });
    await assert.rejects(stream.next(), StoreRewoundError);
  });

  it('pauses the connection while no reader waits', async () => {
    for (let revision = 11; revision <= 2100; revision++) etcd.listener.onEvents([put(revision)]);
    assert.equal(etcd.paused.at(-1), true);
    for (let i = 0; i < 1500; i++) await stream.next();
    assert.equal(etcd.paused.at(-1), false);
  });

  it('ends a waiting reader when closed', async () => {
    const reading = stream.next();
    stream.close();
    assert.equal((await reading).done, true);
  });
});
