import assert from 'node:assert/strict';
import { configMaps, nodes, pods } from '../../api/core/tokens.ts';
import { localSubjectAccessReviews } from '../../api/authorization/tokens.ts';
import { deepFreeze } from '../../apimachinery/json/deep-freeze.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import { ACCEPT_AGGREGATED } from '../discovery/aggregated-discovery.ts';
import { DiscoveryClient } from '../discovery/discovery-client.ts';
import type { Client } from './client.ts';
import { metadataOf } from './partial-metadata.ts';
import { ContractFixture, collect, failsWith, lastVersion, type ContractServer } from './client-contract-fixture.ts';
import { describeWatches } from './client-contract-watches.ts';
import { describeSubresources } from './client-contract-subresources.ts';

/** What every implementation of `Client` keeps. Pods are created without service accounts: the server asks for none. */
export function describeClient(title: string, start: () => Promise<ContractServer>): void {
  describe(`Client contract (${title})`, () => {
    const fixture = new ContractFixture();
    let client: Client;
    let namespace: string;

    before(async () => fixture.start(await start()));
    after(() => fixture.stop());
    beforeEach(async () => {
      await fixture.nextNamespace();
      ({ client, namespace } = fixture);
    });

    const { configMap, named, pod } = fixture;

    describe('objects', () => {
      it('are created, read, replaced and deleted', async () => {
        const created = await client.create(configMaps, configMap('a', { k: 'ä' }));
        assert.deepEqual([created.apiVersion, created.kind, created.data], ['v1', 'ConfigMap', { k: 'ä' }]);
        assert.match(created.metadata.uid ?? '', /^[0-9a-f-]{36}$/);
        assert.deepEqual(await client.get(configMaps, named('a')), created);
        const updated = await client.update(configMaps, { ...created, data: { k: 'b' } });
        assert.deepEqual(updated.data, { k: 'b' });
        assert.notEqual(updated.metadata.resourceVersion, created.metadata.resourceVersion);
        assert.equal(await client.delete(configMaps, named('a')), undefined);
        await failsWith(client.get(configMaps, named('a')), 404, 'NotFound');
      });

      it('get a name where they ask for one', async () => {
        const object = { metadata: { generateName: 'made-', namespace }, data: {} };
        assert.match((await client.create(configMaps, object)).metadata.name ?? '', /^made-.{5}$/);
      });

      it('that are passed stay as they are', async () => {
        const object = deepFreeze(configMap('a', { k: 'v' }));
        await client.create(configMaps, object);
        await client.patch(configMaps, named('a'), 'merge', deepFreeze({ data: { k: 'w' } }));
        assert.deepEqual(object, configMap('a', { k: 'v' }));
      });

      it('of the cluster have no namespace', async () => {
        const name = `node-${namespace}`;
        const node = await client.create(nodes, { metadata: { name }, spec: {}, status: {} } as Node);
        assert.equal(node.kind, 'Node');
        assert.equal((await client.get(nodes, { name })).metadata.uid, node.metadata.uid);
        await client.delete(nodes, { name });
      });

      it('need a name, and a namespace where they have one', async () => {
        await assert.rejects(client.get(configMaps, { name: 'a' }), TypeError);
        await assert.rejects(client.get(configMaps, named('')), TypeError);
        await assert.rejects(client.create(configMaps, { metadata: { name: 'a' } }), TypeError);
        await assert.rejects(client.delete(configMaps, { name: 'a' }), TypeError);
      });

      it('of many calls at once are not mixed up', async () => {
        const names = Array.from({ length: 100 }, (_, i) => `a-${i}`);
        await Promise.all(names.map((name) => client.create(configMaps, configMap(name, { name }))));
        const found = await Promise.all(names.map((name) => client.get(configMaps, named(name))));
        assert.deepEqual(
          found.map((object) => object.data?.name),
          names,
        );
      });

      it('of any size come whole, whatever the connection does to them', async () => {
        const data = { k: 'xyzé'.repeat(50_000) };
        const created = await client.create(configMaps, configMap('large', data));
        assert.deepEqual([created.data, (await client.get(configMaps, named('large'))).data], [data, data]);
        assert.deepEqual((await client.list(configMaps, { namespace })).items, [created]);
      });

      it('are not written by a dry run', async () => {
        const dryRun = true;
        const made = await client.create(configMaps, configMap('a'), { dryRun });
        assert.match(made.metadata.uid ?? '', /./);
        await failsWith(client.get(configMaps, named('a')), 404, 'NotFound');
        const kept = await client.create(configMaps, configMap('a', { k: 'v' }));
        assert.deepEqual((await client.update(configMaps, { ...kept, data: { k: 'w' } }, { dryRun })).data, { k: 'w' });
        assert.deepEqual((await client.patch(configMaps, named('a'), 'merge', { data: { k: 'x' } }, { dryRun })).data, {
          k: 'x',
        });
        await client.delete(configMaps, named('a'), { dryRun });
        await client.deleteCollection(configMaps, { namespace }, { dryRun });
        assert.deepEqual(await client.get(configMaps, named('a')), kept);
      });
    });

    it('show the metadata of objects alone where that is asked for', async () => {
      const token = metadataOf(configMaps);
      const { metadata } = await client.create(configMaps, configMap('a', { k: 'v' }, { l: 'x' }));
      const shown = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
      assert.deepEqual(await client.get(token, named('a')), shown);
      const { items, resourceVersion } = await client.list(token, { namespace, labelSelector: 'l=x' });
      assert.deepEqual(items, [shown]);
      const patch = { metadata: { labels: { l: 'y' } } };
      const patched = await client.patch(token, named('a'), 'merge', patch);
      assert.deepEqual([patched.kind, patched.metadata.labels], ['PartialObjectMetadata', { l: 'y' }]);
      await client.delete(token, named('a'), { preconditions: { uid: metadata.uid! } });
      const events = await collect(client.watch(token, { namespace, resourceVersion }), 2);
      assert.deepEqual(
        events.map((event) => [event.type, event.type !== 'BOOKMARK' && event.object]),
        [
          ['MODIFIED', patched],
          ['DELETED', { ...patched, metadata: { ...patched.metadata, resourceVersion: lastVersion(events) } }],
        ],
      );
    });

    describe('patches', () => {
      it('are applied by type', async () => {
        await client.create(configMaps, configMap('a', { k: 'v', l: 'v' }));
        const merged = await client.patch(configMaps, named('a'), 'merge', { data: { l: null, m: 'v' } });
        assert.deepEqual(merged.data, { k: 'v', m: 'v' });
        const operations = [
          { op: 'test', path: '/data/k', value: 'v' },
          { op: 'replace', path: '/data/k', value: 'w' },
        ];
        assert.deepEqual((await client.patch(configMaps, named('a'), 'json', operations)).data, { k: 'w', m: 'v' });
        await failsWith(client.patch(configMaps, named('a'), 'json', operations), 422, 'Invalid');
      });

      it('of strategic merge join lists by their key', async () => {
        await client.create(pods, pod('p'));
        const patch = { spec: { containers: [{ name: 'main', image: 'two' }] } };
        const patched = await client.patch(pods, named('p'), 'strategic', patch);
        assert.deepEqual(
          patched.spec.containers!.map(({ name, image }) => [name, image]),
          [['main', 'two']],
        );
        assert.equal(patched.kind, 'Pod');
      });
    });

    describe('failures', () => {
      it('are StatusErrors with reason, message and details', async () => {
        const error = await failsWith(client.get(configMaps, named('absent')), 404, 'NotFound');
        assert.equal(error.message, 'configmaps "absent" not found');
        assert.deepEqual(error.status.details, { name: 'absent', kind: 'configmaps' });
      });

      it('say what is there already, outdated, not wanted any more or invalid', async () => {
        const created = await client.create(configMaps, configMap('a'));
        await failsWith(client.create(configMaps, configMap('a')), 409, 'AlreadyExists');
        await client.update(configMaps, { ...created, data: { k: 'v' } });
        await failsWith(client.update(configMaps, { ...created, data: { k: 'w' } }), 409, 'Conflict');
        const preconditions = { uid: '00000000-0000-0000-0000-000000000000' };
        await failsWith(client.delete(configMaps, named('a'), { preconditions }), 409, 'Conflict');
        const invalid = await failsWith(client.create(configMaps, configMap('b', { 'no/key': '' })), 422, 'Invalid');
        assert.equal(invalid.status.details?.causes?.[0]?.field, 'data[no/key]');
      });

      it('tell a user what they may not do, and what they may', async () => {
        const user = { name: `user-of-${namespace}` };
        const theirs = fixture.clientOf(user);
        const error = await failsWith(theirs.list(configMaps, { namespace }), 403, 'Forbidden');
        assert.match(error.message, new RegExp(`"${user.name}" cannot list resource "configmaps"`));
        await failsWith(collect(theirs.watch(configMaps, { namespace }), 1), 403, 'Forbidden');
        await failsWith(theirs.create(configMaps, configMap('a')), 403, 'Forbidden');
        const review = {
          metadata: { namespace },
          spec: { user: user.name, resourceAttributes: { namespace, verb: 'get', resource: 'pods' } },
        };
        const answer = await client.create(localSubjectAccessReviews, review as never);
        assert.equal(answer.status.allowed, false);
      });
    });

    describe('lists', () => {
      beforeEach(async () => {
        for (const [name, parity] of [
          ['a', 'odd'],
          ['b', 'even'],
          ['c', 'odd'],
        ] as const) {
          await client.create(configMaps, configMap(name, {}, { parity }));
        }
      });
      const namesOf = ({ items }: { items: readonly ApiObject[] }): (string | undefined)[] =>
        items.map(({ metadata }) => metadata.name);

      it('have items with their type and a version to watch from', async () => {
        const list = await client.list(configMaps, { namespace });
        assert.deepEqual(namesOf(list), ['a', 'b', 'c']);
        for (const item of list.items) {
          assert.deepEqual([item.apiVersion, item.kind], ['v1', 'ConfigMap']);
          assert.deepEqual(item, await client.get(configMaps, named(item.metadata.name!)));
        }
        assert.match(list.resourceVersion, /^[1-9]\d*$/);
        assert.equal(list.continue, undefined);
      });

      it('may be empty, and cover all namespaces', async () => {
        assert.deepEqual((await client.list(pods, { namespace })).items, []);
        const all = await client.list(configMaps);
        assert.equal(all.items.filter(({ metadata }) => metadata.namespace === namespace).length, 3);
      });

      it('select by labels and fields', async () => {
        assert.deepEqual(namesOf(await client.list(configMaps, { namespace, labelSelector: 'parity=odd' })), [
          'a',
          'c',
        ]);
        const fieldSelector = 'metadata.name=b';
        assert.deepEqual(namesOf(await client.list(configMaps, { namespace, fieldSelector })), ['b']);
        await failsWith(client.list(configMaps, { namespace, labelSelector: '=' }), 400, 'BadRequest');
      });

      it('come in chunks, at a version, or as they were', async () => {
        const first = await client.list(configMaps, { namespace, limit: 2 });
        assert.deepEqual(namesOf(first), ['a', 'b']);
        await client.delete(configMaps, named('c'));
        const rest = await client.list(configMaps, { namespace, limit: 2, continue: first.continue! });
        assert.deepEqual(
          [namesOf(rest), rest.continue, rest.resourceVersion],
          [['c'], undefined, first.resourceVersion],
        );
        const options = { namespace, resourceVersion: first.resourceVersion, resourceVersionMatch: 'Exact' } as const;
        assert.deepEqual(namesOf(await client.list(configMaps, options)), ['a', 'b', 'c']);
        assert.deepEqual(namesOf(await client.list(configMaps, { namespace })), ['a', 'b']);
      });

      it('can be deleted as a whole', async () => {
        await client.deleteCollection(configMaps, { namespace, labelSelector: 'parity=odd' });
        assert.deepEqual(namesOf(await client.list(configMaps, { namespace })), ['b']);
        await client.deleteCollection(configMaps, { namespace });
        assert.deepEqual(namesOf(await client.list(configMaps, { namespace })), []);
      });
    });

    describeWatches(fixture);

    describe('signals', () => {
      it('end calls with their reason', async () => {
        const reason = new Error('no more');
        const signal = AbortSignal.abort(reason);
        await assert.rejects(client.get(configMaps, named('a'), { signal }), reason);
        const ended = new AbortController();
        const calls = Array.from({ length: 20 }, () => client.list(configMaps, { namespace, signal: ended.signal }));
        ended.abort(reason);
        for (const outcome of await Promise.allSettled(calls)) {
          assert.deepEqual(outcome, { status: 'rejected', reason });
        }
        assert.deepEqual((await client.list(configMaps, { namespace })).items, []);
      });
    });

    describeSubresources(fixture);

    describe('paths', () => {
      it('that are no resource answer JSON, or a Status', async () => {
        const groups = await client.getPath<{ kind: string; groups: { name: string }[] }>('/apis');
        assert.equal(groups.kind, 'APIGroupList');
        assert(groups.groups.some(({ name }) => name === 'apps'));
        await failsWith(client.getPath('/apis/no.such.group/v1'), 404, 'NotFound');
      });

      it('are answered in the form that is asked for, once while it is the same', async () => {
        const accept = ACCEPT_AGGREGATED;
        const first = await client.getDocument<{ kind: string; items: object[] }>('/apis', { accept });
        assert.equal(first!.body.kind, 'APIGroupDiscoveryList');
        assert.match(first!.etag!, /^"[0-9A-F]+"$/);
        assert.equal(await client.getDocument('/apis', { accept, ifNoneMatch: first!.etag! }), undefined);
        assert.deepEqual(await client.getDocument('/apis', { accept, ifNoneMatch: '"another"' }), first);
        const plain = await client.getDocument<{ kind: string }>('/apis');
        assert.deepEqual([plain!.body.kind, plain!.etag], ['APIGroupList', undefined]);
        await failsWith(client.getDocument('/apis/no.such.group/v1', { accept }), 404, 'NotFound');
        const signal = AbortSignal.abort(new Error('no more'));
        await assert.rejects(client.getDocument('/apis', { accept, signal }), /no more/);
      });

      it('say what the server has, in either form', async () => {
        const found = await new DiscoveryClient(client).resources();
        assert.ok(found.resources.some(({ resource: { kind } }) => kind === 'Deployment'));
        const getDocument: Client['getDocument'] = (path, { signal } = {}) =>
          client.getDocument(path, signal === undefined ? {} : { signal });
        const plain = { getDocument, getPath: (path, options) => client.getPath(path, options) } as Client;
        const { resources, failures } = await new DiscoveryClient(plain).resources();
        const inOrder = (all: typeof resources): unknown[] =>
          all.map((each) => ({ ...each, subresources: each.subresources.toSorted() }));
        assert.deepEqual([inOrder(found.resources), found.failures], [inOrder(resources), failures]);
      });
    });
  });
}
