import assert from 'node:assert/strict';
import type { Page, Store, StoreEvent } from '../store.ts';
import { ByteBudget } from './byte-budget.ts';
import { resource, valueOf } from './cacher-testing.ts';
import { DeliveryTurns } from './delivery-turns.ts';
import { LoadingCache } from './loading-cache.ts';
import { ResourceCache } from './resource-cache.ts';

const BYTES_MAX = 1000;

/** A store with one object of each name, as it is at each read; `during` runs while it is read. */
class ReadStore {
  reads = 0;
  revision = 10;
  readonly objects = new Map<string, number>();
  private readonly during: (store: ReadStore) => void;

  constructor(during: (store: ReadStore) => void) {
    this.during = during;
  }

  async range(): Promise<Page> {
    this.reads++;
    const { revision } = this;
    const items = Array.from(this.objects, ([key, modRevision]) => ({
      key,
      value: valueOf({ at: String(modRevision) }),
      modRevision,
      createRevision: modRevision,
    }));
    this.during(this);
    await new Promise(setImmediate);
    return { items, revision, more: false };
  }

  /** A write, as the feed brings it. */
  put(key: string, bytes = 0): StoreEvent {
    this.objects.set(key, ++this.revision);
    const value = valueOf({ at: String(this.revision) }, { filler: 'x'.repeat(bytes) });
    return { type: 'put', key, revision: this.revision, value };
  }
}

function load(store: ReadStore): { loading: LoadingCache; loaded: Promise<ResourceCache> } {
  const following = { reached: async () => true, caughtUp: async () => true };
  const feed = { ...following, isBehind: () => false, isStopped: () => false };
  const make = (): ResourceCache =>
    new ResourceCache(resource('more'), new ByteBudget(1 << 20), new DeliveryTurns(), 1 << 20);
  const loading = new LoadingCache(make, store as unknown as Store, feed, BYTES_MAX);
  // Held back, so that the test can hand over changes from the first read on.
  const loaded = Promise.resolve().then(async () => {
    let cache: ResourceCache | undefined;
    await loading.load((made) => (cache = made));
    return cache!;
  });
  return { loading, loaded };
}

describe('a cache that is loaded beside the feed', () => {
  it('is read again when more changes come than it may keep, and lacks none of them', async () => {
    const store = new ReadStore((read) => {
      if (read.reads > 1) return;
      for (let i = 0; i < 5; i++) loading.receive(read.put(`more/ns/${i}`, BYTES_MAX / 4));
    });
    store.put('more/ns/before');
    const { loading, loaded } = load(store);
    const cache = await loaded;
    assert.equal(store.reads, 2);
    assert.deepEqual(
      [...cache.snapshot().values()].map(({ key, revision }) => [key, revision]),
      [...store.objects].sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  });

  it('is read once where the changes fit, and takes them in', async () => {
    const store = new ReadStore((read) => loading.receive(read.put('more/ns/a', BYTES_MAX / 2)));
    store.put('more/ns/a');
    const { loading, loaded } = load(store);
    const cache = await loaded;
    assert.equal(store.reads, 1);
    assert.equal(cache.get('more/ns/a')!.revision, store.objects.get('more/ns/a'));
  });

  it('is given up when changes never stop coming faster than it is read', async () => {
    const store = new ReadStore((read) => loading.receive(read.put('more/ns/a', 2 * BYTES_MAX)));
    const { loading, loaded } = load(store);
    await assert.rejects(loaded, /the cache of more could not be loaded/);
    assert.equal(store.reads, 10);
  });
});
