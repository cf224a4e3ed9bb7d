/** A cluster loses its leader, by an unannounced kill, while it is written to and watched. */
import assert from 'node:assert/strict';
import { openEtcdStore } from '../../pkg/storage/etcd/open-etcd-store.ts';
import { StoreUnavailableError } from '../../pkg/storage/store-errors.ts';
import type { Store, StoreEvent } from '../../pkg/storage/store.ts';
import { EtcdCluster } from './etcd-cluster.ts';

const lanes = 4;
const keysPerLane = 5;
const writesBetweenKills = 150;

/** Writes keys again and again, as several clients would, and remembers what was acknowledged. */
class WriteLoad {
  /** By revision: what the store said that it wrote. */
  readonly acknowledged = new Map<number, string>();
  /** Values of writes of which the store could not say whether they happened. */
  readonly doubtful = new Set<string>();
  readonly #store: Store;
  readonly #running: Promise<void>[];
  #stopped = false;
  #serial = 0;
  #waiting: { count: number; resolve: () => void }[] = [];

  constructor(store: Store) {
    this.#store = store;
    this.#running = Array.from({ length: lanes }, (_, lane) => this.#write(lane));
  }

  /** Resolves when so many more writes were acknowledged. */
  more(count: number): Promise<void> {
    return Promise.race([
      new Promise<void>((resolve) => this.#waiting.push({ count: this.acknowledged.size + count, resolve })),
      Promise.all(this.#running).then(() => undefined),
    ]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  async #write(lane: number): Promise<void> {
    const revisions = new Map<string, number>();
    for (let i = 0; !this.#stopped; i++) {
      const key = `lane-${lane}/key-${i % keysPerLane}`;
      const value = `${key} ${this.#serial++}`;
      try {
        const result = await this.#store.commit(key, {
          expectRevision: revisions.get(key) ?? 0,
          value: Buffer.from(value),
        });
        if (result.ok) this.#acknowledge(result.revision, value);
        revisions.set(key, result.ok ? result.revision : (result.current?.modRevision ?? 0));
      } catch (error) {
        assert.ok(error instanceof StoreUnavailableError, String(error));
        if (error.ambiguous) this.doubtful.add(value);
      }
    }
  }

  #acknowledge(revision: number, value: string): void {
    assert.ok(!this.acknowledged.has(revision), `two writes have revision ${revision}`);
    this.acknowledged.set(revision, value);
    for (const { count, resolve } of this.#waiting) if (this.acknowledged.size >= count) resolve();
    this.#waiting = this.#waiting.filter(({ count }) => this.acknowledged.size < count);
  }
}

/** Reads a watch up to a revision. Each change names the one before it of its key, which shows that none is missing. */
async function readHistory(store: Store, from: number, upTo: Promise<number>): Promise<StoreEvent[]> {
  const events: StoreEvent[] = [];
  const newest = new Map<string, number>();
  const stream = store.watch('', from);
  let end = Infinity;
  let reached = from;
  const isDone = () => reached >= end;
  void upTo.then((revision) => {
    end = revision;
    if (isDone()) stream.close();
  });
  for await (const batch of stream) {
    for (const event of batch.events) {
      assert.ok(event.revision > reached, `revision ${event.revision} came after ${reached}`);
      assert.equal(
        event.previous?.modRevision,
        newest.get(event.key),
        `a change of ${event.key} before revision ${event.revision}`,
      );
      reached = event.revision;
      newest.set(event.key, event.revision);
      events.push(event);
    }
    reached = Math.max(reached, batch.revision);
    if (isDone()) break;
  }
  return events;
}

for (const transport of ['http2', 'etcd3'] as const) {
  describe(`an etcd cluster that loses its leader, over ${transport}`, function () {
    this.timeout(120_000);
    let cluster: EtcdCluster;
    let store: Store;
    before(async () => {
      cluster = await EtcdCluster.start();
      store = openEtcdStore({ servers: cluster.urls, prefix: '/failover', transport, progressIntervalMs: 500 });
    });
    after(async () => {
      await store?.close();
      await cluster?.stop();
    });

    it('loses no acknowledged write and no event, and goes on', async () => {
      const start = await store.currentRevision();
      let finish!: (revision: number) => void;
      const reading = readHistory(store, start, new Promise((resolve) => (finish = resolve)));
      const load = new WriteLoad(store);
      await load.more(writesBetweenKills);

      const first = await cluster.leader();
      await first.kill();
      await load.more(writesBetweenKills);
      await first.restart();
      await cluster.whole();

      // The one that came back is needed now: two of three have to agree.
      const second = await cluster.leader();
      await second.kill();
      await load.more(writesBetweenKills);
      await second.restart();
      await cluster.whole();
      await load.more(writesBetweenKills);
      await load.stop();

      const page = await store.range('');
      finish(page.revision);
      const events = await reading;
      const seen = new Map(events.map((event) => [event.revision, Buffer.from(event.value!).toString()]));
      for (const [revision, value] of load.acknowledged)
        assert.equal(seen.get(revision), value, `the acknowledged write of revision ${revision}`);
      for (const [revision, value] of seen)
        assert.ok(
          load.acknowledged.has(revision) || load.doubtful.has(value),
          `nobody wrote ${value} of revision ${revision}`,
        );
      const newest = new Map(events.map((event) => [event.key, event.revision]));
      assert.deepEqual(new Map(page.items.map((item) => [item.key, item.modRevision])), newest);
    });
  });
}
