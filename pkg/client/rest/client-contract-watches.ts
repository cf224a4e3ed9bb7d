import assert from 'node:assert/strict';
import { configMaps } from '../../api/core/tokens.ts';
import type { ConfigMap } from '../../generated/types/core-v1.ts';
import type { Client, WatchEvent } from './client.ts';
import { brief, collect, failsWith, type ContractFixture } from './client-contract-fixture.ts';

/** What every implementation of `Client` keeps of watches. */
export function describeWatches(fixture: ContractFixture): void {
  const { configMap, named } = fixture;
  describe('watches', () => {
    let client: Client;
    let namespace: string;
    beforeEach(() => ({ client, namespace } = fixture));

    it('show changes in order from a version on, each object with its type', async () => {
      await client.create(configMaps, configMap('before'));
      const { resourceVersion } = await client.list(configMaps, { namespace });
      const created = await client.create(configMaps, configMap('a'));
      const updated = await client.update(configMaps, { ...created, data: { k: 'v' } });
      await client.delete(configMaps, named('a'));
      const events = await collect(client.watch(configMaps, { namespace, resourceVersion }), 3);
      assert.deepEqual(events.slice(0, 2), [
        { type: 'ADDED', object: created },
        { type: 'MODIFIED', object: updated },
      ]);
      const last = events[2]!;
      assert(last.type === 'DELETED');
      assert.deepEqual([last.object.kind, last.object.metadata.name, last.object.data], ['ConfigMap', 'a', { k: 'v' }]);
    });

    it('show events as they happen, to several watchers', async () => {
      const { resourceVersion } = await client.list(configMaps, { namespace });
      const labelSelector = 'parity=odd';
      const all = collect(client.watch(configMaps, { namespace, resourceVersion }), 4);
      const odd = collect(client.watch(configMaps, { namespace, resourceVersion, labelSelector }), 2);
      for (let i = 0; i < 4; i++) {
        await client.create(configMaps, configMap(`a-${i}`, {}, { parity: i % 2 === 0 ? 'even' : 'odd' }));
      }
      assert.deepEqual((await all).map(brief), ['ADDED a-0', 'ADDED a-1', 'ADDED a-2', 'ADDED a-3']);
      assert.deepEqual((await odd).map(brief), ['ADDED a-1', 'ADDED a-3']);
    });

    it('begin with the state and say where it ends', async () => {
      await client.create(configMaps, configMap('a'));
      await client.create(configMaps, configMap('b'));
      const watch = client.watch(configMaps, { namespace, sendInitialEvents: true, allowWatchBookmarks: true });
      const iterator = watch[Symbol.asyncIterator]();
      const next = async (): Promise<WatchEvent<ConfigMap>> => (await iterator.next()).value as WatchEvent<ConfigMap>;
      assert.deepEqual([brief(await next()), brief(await next())].sort(), ['ADDED a', 'ADDED b']);
      const bookmark = await next();
      assert(bookmark.type === 'BOOKMARK' && bookmark.initial);
      const { resourceVersion } = await client.create(configMaps, configMap('c')).then(({ metadata }) => metadata);
      assert(Number(bookmark.resourceVersion) < Number(resourceVersion));
      assert.equal(brief(await next()), 'ADDED c');
      await iterator.return?.();
    });

    it('end when the server ends them', async () => {
      const { resourceVersion } = await client.list(configMaps, { namespace });
      assert.deepEqual(await collect(client.watch(configMaps, { namespace, resourceVersion, timeoutSeconds: 1 })), []);
    });

    it('end by their signal without an error', async () => {
      const ended = new AbortController();
      const watch = client.watch(configMaps, {
        namespace,
        sendInitialEvents: true,
        allowWatchBookmarks: true,
        signal: ended.signal,
      });
      const seen: string[] = [];
      for await (const event of watch) {
        seen.push(event.type);
        setImmediate(() => ended.abort());
      }
      assert.deepEqual(seen, ['BOOKMARK']);
      assert.deepEqual(await collect(client.watch(configMaps, { namespace, signal: ended.signal })), []);
    });

    it('fail with 410 from a version that does not exist', async () => {
      const { resourceVersion } = await client.list(configMaps, { namespace });
      const future = String(Number(resourceVersion) + 1_000_000);
      const watch = client.watch(configMaps, { namespace, resourceVersion: future });
      await client.create(configMaps, configMap('a'));
      await failsWith(collect(watch, 1), 410, 'Expired');
    });

    it('fail with 400 from no version at all', async () => {
      await failsWith(collect(client.watch(configMaps, { namespace, resourceVersion: 'x' }), 1), 400, 'BadRequest');
    });
  });
}
