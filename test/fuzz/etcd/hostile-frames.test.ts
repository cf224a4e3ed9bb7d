/**
 * The client of etcd against a peer that sends hostile frames, beside the truth of what happened in the peer's store.
 * `FUZZ_INPUTS` (`make fuzz`: a million) makes it longer; `FUZZ_SEED` repeats a run.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from '../../../pkg/storage/store-errors.ts';
import type { EventStream } from '../../../pkg/storage/store.ts';
import { EtcdStore } from '../../../pkg/storage/etcd/etcd-store.ts';
import { FallbackTransport } from '../../../pkg/storage/etcd/fallback-transport.ts';
import { Http2Transport } from '../../../pkg/storage/etcd/http2-transport.ts';
import { LazyEtcd3Client } from '../../../pkg/storage/etcd/lazy-etcd3-client.ts';
import { Random } from '../mutate.ts';
import { HostilePeer } from './hostile-peer.ts';
import { ModelEtcd } from './model-etcd.ts';
import { ModelTransport } from './model-transport.ts';

const scenarios = Math.ceil(Number(process.env['FUZZ_INPUTS'] ?? 40_000) / 400);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
const atATime = 25;
const timeoutMs = 300;
/** Many times what any call may take. */
const patienceMs = 60_000;
const keys = ['a/x', 'a/y', 'a/z'];

class Scenario {
  readonly model: ModelEtcd;
  readonly warnings: string[] = [];
  readonly #random: Random;
  readonly #peer: HostilePeer;
  readonly #store: EtcdStore;
  /** By key: the newest revision that any client has seen. */
  readonly #told = new Map<string, number>();
  /** Values of writes of which it was said for certain that they did not happen. */
  readonly #refused = new Set<string>();
  readonly #watched: string[] = [];

  private constructor(random: Random, peer: HostilePeer, model: ModelEtcd) {
    this.#random = random;
    this.#peer = peer;
    this.model = model;
    const servers = [peer.url];
    const transport = new FallbackTransport({
      first: new Http2Transport({ servers, tls: {} }),
      second: new ModelTransport(model),
      onFallback: (reason) => this.warnings.push(reason),
    });
    this.#store = new EtcdStore({
      transport,
      client: new LazyEtcd3Client({ servers, tls: {}, timeoutMs }),
      prefix: '/fuzz/',
      timeoutMs,
      progressIntervalMs: 100,
    });
  }

  static async start(random: Random): Promise<Scenario> {
    const model = new ModelEtcd();
    return new Scenario(random, await HostilePeer.start(model, random, random.pick([0.01, 0.05, 0.2])), model);
  }

  async run(): Promise<void> {
    const stream = this.#store.watch('a/', 1);
    const watching = this.#watch(stream);
    await Promise.all(
      keys.map(async (key, user) => {
        for (let i = 0; i < 8; i++)
          await (this.#random.next() < 0.4 ? this.#get(key) : this.#put(this.#random.pick(keys), `${user}.${i}`));
      }),
    );
    this.#peer.hostility = 0;
    for (const deadline = Date.now() + patienceMs; this.#watched.length < this.model.history.length; await sleep(20)) {
      assert.ok(Date.now() < deadline, `the watch saw ${this.#watched.length} of ${this.model.history.length} changes`);
    }
    await this.#store.close();
    await watching;
    this.#check();
  }

  stop(): Promise<void> {
    return this.#peer.stop();
  }

  async #watch(stream: EventStream): Promise<void> {
    try {
      for await (const { events } of stream)
        for (const event of events) this.#watched.push(`${event.revision} ${event.key} ${String(event.value)}`);
    } catch (error) {
      assert.match((error as Error).message, /the store is closed/);
    }
  }

  async #get(key: string): Promise<void> {
    const told = this.#told.get(key) ?? 0;
    const found = await inTime(this.#store.get(key)).catch(expectUnavailable);
    if (found instanceof StoreUnavailableError) return;
    assert.ok((found?.modRevision ?? 0) >= told, `a read of ${key} went back from ${told} to ${found?.modRevision}`);
    if (found !== undefined) this.#checkVersion(key, found.modRevision, found.value.toString());
  }

  async #put(key: string, value: string): Promise<void> {
    const expectRevision = this.#random.next() < 0.1 ? this.#random.below(9) : (this.#told.get(key) ?? 0);
    const result = await inTime(this.#store.commit(key, { expectRevision, value: Buffer.from(value) })).catch(
      expectUnavailable,
    );
    if (result instanceof StoreUnavailableError) {
      if (!result.ambiguous) this.#refused.add(value);
    } else if (result.ok) {
      this.#checkVersion(key, result.revision, value);
      this.#tell(key, result.revision);
    } else {
      this.#refused.add(value);
      if (result.current === undefined) return;
      this.#checkVersion(key, result.current.modRevision, result.current.value.toString());
      this.#tell(key, result.current.modRevision);
    }
  }

  #tell(key: string, revision: number): void {
    this.#told.set(key, Math.max(revision, this.#told.get(key) ?? 0));
  }

  #checkVersion(key: string, revision: number, value: string): void {
    const truth = this.model.history[revision - 2];
    assert.deepEqual([truth?.key, truth?.value?.toString()], [`/fuzz/${key}`, value], `revision ${revision}`);
  }

  #check(): void {
    for (const { value } of this.model.history)
      assert.ok(!this.#refused.has(String(value)), `the write of ${String(value)} was refused, and happened`);
    assert.equal(
      new Set(this.model.history.map(({ value }) => String(value))).size,
      this.model.history.length,
      'a write happened twice',
    );
    assert.deepEqual(
      this.#watched,
      this.model.history.map((each) => `${each.modRevision} ${each.key.slice('/fuzz/'.length)} ${String(each.value)}`),
    );
    assert.ok(this.warnings.length <= 1, this.warnings.join('\n'));
  }
}

function inTime<T>(call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>(
    (_resolve, reject) => (timer = setTimeout(() => reject(new Error('a call does not end')), patienceMs)),
  );
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
}

function expectUnavailable(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  throw error;
}

describe(`hostile frames of etcd with FUZZ_SEED=${seed}`, function () {
  this.timeout(0);

  it(`makes no answer wrong and loses none in ${scenarios} runs`, async () => {
    const histories: number[] = [];
    const fallbacks: string[] = [];
    for (let first = 0; first < scenarios; first += atATime) {
      const which = Array.from({ length: Math.min(atATime, scenarios - first) }, (_, i) => seed + first + i);
      await Promise.all(
        which.map(async (own) => {
          const scenario = await Scenario.start(new Random(own));
          try {
            await scenario.run();
          } catch (error) {
            throw new Error(`run of seed ${own}: ${(error as Error).stack}`);
          } finally {
            await scenario.stop();
          }
          histories.push(scenario.model.history.length);
          fallbacks.push(...scenario.warnings);
        }),
      );
    }
    assert.ok(histories.reduce((sum, length) => sum + length, 0) > scenarios, 'hardly a write got through');
    assert.ok(
      fallbacks.length > 0 && fallbacks.length < scenarios,
      `${fallbacks.length} of ${scenarios} runs fell back`,
    );
  });
});
