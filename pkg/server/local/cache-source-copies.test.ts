import assert from 'node:assert/strict';
import { pod as podDefinition } from '../../api/core/pod/pod.ts';
import { resourceToken } from '../../api/resource.ts';
import { Scheme } from '../../api/scheme.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { systemClock } from '../../apimachinery/clock.ts';
import { SharedInformer } from '../../client/informer/shared-informer.ts';
import { hubObject } from '../../registry/registry-testing.ts';
import { cacheName, ResourceStore } from '../../registry/resource-store.ts';
import { StorageCodec } from '../../registry/storage-codec.ts';
import { ByteBudget } from '../../storage/cacher/byte-budget.ts';
import { Cacher } from '../../storage/cacher/cacher.ts';
import type { EventBatch, EventStream, KeyValue, Store } from '../../storage/store.ts';
import { CacheSource } from './cache-source.ts';

const PODS = 30_000;
const podToken = resourceToken('v1', 'pods', 'Pod', true);

/** Holds pods that differ by name alone; changes are pushed. */
class PodStore {
  readonly asStore: Store = this as unknown as Store;
  private readonly codec: StorageCodec;
  private readonly batches: EventBatch[] = [];
  private wake: () => void = () => undefined;
  private isClosed = false;
  private revision = PODS;

  constructor(codec: StorageCodec) {
    this.codec = codec;
  }

  pod(index: number, phase = 'Running'): ApiObject {
    const metadata = { namespace: `ns-${index % 100}`, name: `pod-${index}`, uid: `uid-${index}` };
    return hubObject(podDefinition, metadata, { spec: { containers: [{ name: 'c', image: 'i' }] }, status: { phase } });
  }

  keyOf({ metadata }: ApiObject): string {
    return `pods/${metadata.namespace}/${metadata.name}`;
  }

  async range(): Promise<{ items: KeyValue[]; revision: number; more: boolean }> {
    const items = Array.from({ length: PODS }, (_, i) => {
      const pod = this.pod(i);
      return { key: this.keyOf(pod), value: this.codec.encode(pod), modRevision: i + 1, createRevision: i + 1 };
    });
    return { items, revision: this.revision, more: false };
  }

  /** A write of another process. */
  change(pod: ApiObject): void {
    const revision = ++this.revision;
    const event = { type: 'put' as const, key: this.keyOf(pod), revision, value: this.codec.encode(pod) };
    this.batches.push({ events: [event], revision });
    this.wake();
  }

  watch(): EventStream {
    const next = async (): Promise<IteratorResult<EventBatch, undefined>> => {
      while (this.batches.length === 0 && !this.isClosed) await new Promise<void>((resolve) => (this.wake = resolve));
      const value = this.batches.shift();
      return value === undefined ? { done: true, value: undefined } : { value };
    };
    const close = (): void => {
      this.isClosed = true;
      this.wake();
    };
    return { close, [Symbol.asyncIterator]: () => ({ next }) };
  }
}

describe('informers of 30,000 pods in the process of their server', function () {
  this.timeout(120_000);
  let store: PodStore;
  let cacher: Cacher;
  let informer: SharedInformer<ApiObject>;
  let decodes: number;

  before(async () => {
    const scheme = new Scheme([podDefinition]);
    const codec = new StorageCodec(scheme, podDefinition);
    const decode = codec.decode.bind(codec);
    codec.decode = (value, revision, key) => {
      decodes++;
      return decode(value, revision, key);
    };
    store = new PodStore(codec);
    const name = cacheName(podDefinition);
    const resource = { name, storagePath: 'pods', namespaced: true, format: codec, ringSize: 100 };
    cacher = new Cacher({ store: store.asStore, resources: [resource], budget: new ByteBudget(1 << 30) });
    await cacher.start();
    const settings = { eventTtlSeconds: 0, collectsGarbage: false };
    const resourceStore = new ResourceStore(scheme, podDefinition, cacher, codec, {}, settings);
    const version = scheme.forResource('v1', podToken.resource)!;
    decodes = 0;
    const report = assert.ifError;
    const source = new CacheSource<ApiObject>(
      {},
      {
        find: () => ({ version, store: resourceStore }),
        listen: () => () => undefined,
        authorize: () => Promise.resolve(),
        report,
        clock: systemClock,
        random: Math.random,
      },
    );
    informer = new SharedInformer(source, { report });
    informer.start();
    assert.equal(await informer.whenSynced(), true);
  });
  after(async () => {
    await informer.stop();
    await cacher.stop();
  });

  it('hold them without decoding one', () => {
    assert.equal(informer.lister.size, PODS);
    assert.equal(decodes, 0);
  });

  it('give every reader the object of the cache itself, decoded once', async () => {
    const cache = cacher.cache('pods');
    const seen: ApiObject[] = [];
    const handlers = [0, 1].map(() => informer.addHandler({ onAdd: (pod) => seen.push(pod) }));
    for (const handler of handlers) assert.equal(await handler.whenSynced(), true);
    const listed = informer.lister.list();
    assert.deepEqual([seen.length, listed.length, decodes], [2 * PODS, PODS, PODS]);
    for (const pod of [...seen, ...listed]) assert.ok(cache.get(store.keyOf(pod))!.object() === pod);
    assert.equal(decodes, PODS);
    for (const handler of handlers) handler.remove();
  });

  it('show old and new state of a change with one decoding, that of the cache', async () => {
    const before = decodes;
    const updates: [ApiObject, ApiObject][] = [];
    const known = informer.lister.get({ namespace: 'ns-7', name: 'pod-7' });
    const handler = informer.addHandler({ onUpdate: (old, current) => updates.push([old, current]) });
    await handler.whenSynced();
    for (const index of [7, 8, 9]) store.change(store.pod(index, 'Failed'));
    await cacher.reached(PODS + 3);
    await handler.settled();
    assert.equal(updates.length, 3);
    assert.ok(updates[0]![0] === known);
    for (const [, current] of updates) assert.ok(cacher.cache('pods').get(store.keyOf(current))!.object() === current);
    assert.equal(decodes, before + 3);
  });
});
