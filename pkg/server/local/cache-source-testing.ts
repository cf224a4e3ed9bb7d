import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configMap } from '../../api/core/config-map/config-map.ts';
import type { AnyResource } from '../../api/resource-definition.ts';
import { ResourceRegistry } from '../../api/resource-registry.ts';
import type { Clock } from '../../apimachinery/clock.ts';
import type { AuthorizationDecision, Authorizer } from '../../authorization/authorizer.ts';
import { hurriedClock, type InformerFixture } from '../../client/informer/informer-contract.ts';
import { hubObject } from '../../registry/registry-testing.ts';
import { StorageCodec } from '../../registry/storage-codec.ts';
import { EmbeddedStore } from '../../storage/embedded/embedded-store.ts';
import type { EventStream, Store } from '../../storage/store.ts';
import { ResourceInstaller } from '../resource-installer.ts';
import { ResourceStores } from '../resource-stores.ts';
import { WatchSessions } from '../watches/watch-sessions.ts';
import { CacheSources } from './cache-sources.ts';

/** For tests: stores, and sources over their caches; the feed of the caches can be interrupted. */
export interface LocalServer extends InformerFixture {
  readonly stores: ResourceStores;
  readonly installer: ResourceInstaller;
  /** The authorizer's decision about a verb. */
  allows: (verb: string) => boolean;
}

export interface LocalServerOptions {
  readonly resources?: readonly AnyResource[];
  readonly cacheBytes?: number;
  /** Default: time passes fast. */
  readonly clock?: Clock;
  /** Writes the objects to be loaded. */
  readonly before?: (store: Store, codecOf: (definition: AnyResource) => StorageCodec) => Promise<void>;
}

export async function startLocalServer({
  resources = [configMap],
  cacheBytes = 1 << 20,
  clock = hurriedClock,
  before,
}: LocalServerOptions = {}): Promise<LocalServer> {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-cache-source-'));
  const store = new EmbeddedStore({ dataDir: dir, progressIntervalMs: 200 });
  const feed = new CuttableFeed(store);
  const registry = new ResourceRegistry(resources);
  await before?.(store, (definition) => new StorageCodec(registry, definition));
  const stores = new ResourceStores({
    scheme: registry,
    store: feed.store,
    cache: { bytes: cacheBytes, history: { sizes: new Map(), byDefault: 100 } },
    eventTtlSeconds: 3600,
    collectsGarbage: false,
    onError: () => undefined,
  });
  await stores.start();
  const reported: unknown[] = [];
  let writes = 0;
  const server: LocalServer = {
    stores,
    installer: new ResourceInstaller(registry, stores, new WatchSessions()),
    reported,
    allows: () => true,
    sources: new CacheSources({
      registry,
      stores,
      user: { name: 'controller', groups: [] },
      authorizer: verbAuthorizer((verb) => server.allows(verb)),
      report: (error) => reported.push(error),
      clock,
      random: () => 0,
    }),
    async put({ metadata, data }) {
      const target = stores.of('configmaps');
      const key = target.keyOf(metadata.namespace!, metadata.name!);
      const current = await store.get(key);
      const uid = current === undefined ? randomUUID() : target.codec.decode(current.value, 0).metadata.uid!;
      const object = hubObject(configMap, { ...metadata, uid }, { data });
      const value = target.codec.encode(object);
      const expectRevision = current?.modRevision ?? 0;
      // Alternates writes of this process and of others.
      if (writes++ % 2 === 0) await target.commit(key, expectRevision, value, object);
      else await store.commit(key, { expectRevision, value });
    },
    async remove({ namespace, name }) {
      const key = stores.of('configmaps').keyOf(namespace, name);
      const current = await store.get(key);
      if (current !== undefined) await store.commit(key, { expectRevision: current.modRevision });
    },
    async interrupt(changes) {
      feed.cut();
      await changes();
    },
    async expire(changes) {
      feed.isLosing = true;
      await changes();
      feed.isLosing = false;
      feed.cut();
    },
    assertIdle: () => undefined,
    async stop() {
      await stores.stop();
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return server;
}

/** A store whose watch a test ends, perhaps after it has lost events. */
class CuttableFeed {
  readonly store: Store;
  isLosing = false;
  private readonly streams = new Set<EventStream>();

  constructor(store: Store) {
    this.store = new Proxy(store, {
      get: (target, property: keyof Store) => {
        if (property === 'watch') return (prefix: string, from: number) => this.watch(target, prefix, from);
        const value = target[property];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  cut(): void {
    for (const stream of this.streams) stream.close();
  }

  private watch(store: Store, prefix: string, fromRevision: number): EventStream {
    const stream = store.watch(prefix, fromRevision);
    this.streams.add(stream);
    const close = (): void => {
      this.streams.delete(stream);
      stream.close();
    };
    const isLosing = (): boolean => this.isLosing;
    return {
      close,
      async *[Symbol.asyncIterator]() {
        for await (const batch of stream) if (!isLosing()) yield batch;
      },
    };
  }
}

function verbAuthorizer(allows: (verb: string) => boolean): Authorizer {
  const decide = (verb: string): AuthorizationDecision =>
    allows(verb) ? { decision: 'allow', reason: '' } : { decision: 'no-opinion', reason: 'not in this test' };
  return {
    name: 'test',
    authorize: ({ verb }) => decide(verb),
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}
