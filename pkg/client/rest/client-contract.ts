import { deepFreeze } from '../../apimachinery/json/deep-freeze.ts';
import assert from 'node:assert/strict';
import { deployments } from '../../api/apps/tokens.ts';
import { localSubjectAccessReviews } from '../../api/authorization/tokens.ts';
import { configMaps, namespaces, nodes, pods, serviceAccounts } from '../../api/core/tokens.ts';
import { podDisruptionBudgets } from '../../api/policy/tokens.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Deployment } from '../../generated/types/apps-v1.ts';
import type { Scale } from '../../generated/types/autoscaling-v1.ts';
import type { TokenRequest } from '../../generated/types/authentication-v1.ts';
import type { ConfigMap, Node, Pod } from '../../generated/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../generated/types/policy-v1.ts';
import type { Client, Watch, WatchEvent } from './client.ts';
import { metadataOf } from './partial-metadata.ts';

/** A user by name, with no rights but those that roles and groups give. */
export interface ContractUser {
  readonly name: string;
  readonly groups?: readonly string[];
}

/** A running API server that authorizes by roles, and how it is spoken to. */
export interface ContractServer {
  clientOf(user: ContractUser): Client;
  stop(): Promise<void>;
}

const ADMIN: ContractUser = { name: 'contract-admin', groups: ['system:masters'] };

/** What every implementation of `Client` keeps. Pods are created without service accounts: the server asks for none. */
export function describeClient(title: string, start: () => Promise<ContractServer>): void {
  describe(`Client contract (${title})`, () => {
    let server: ContractServer;
    let client: Client;
    let namespace: string;
    let count = 0;

    before(async () => {
      server = await start();
      client = server.clientOf(ADMIN);
    });
    after(() => server.stop());
    beforeEach(async () => {
      namespace = `contract-${++count}`;
      await client.create(namespaces, { metadata: { name: namespace }, spec: {}, status: {} });
    });

    const configMap = (
      name: string,
      data: Record<string, string> = {},
      labels: Record<string, string> = {},
    ): ConfigMap => ({
      metadata: { name, namespace, labels },
      data,
    });
    const named = (name: string): { namespace: string; name: string } => ({ namespace, name });

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
        const theirs = server.clientOf(user);
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

    describe('watches', () => {
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
        assert.deepEqual(
          [last.object.kind, last.object.metadata.name, last.object.data],
          ['ConfigMap', 'a', { k: 'v' }],
        );
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
        assert.deepEqual(
          await collect(client.watch(configMaps, { namespace, resourceVersion, timeoutSeconds: 1 })),
          [],
        );
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

    describe('subresources', () => {
      it('change the status alone', async () => {
        const created = await client.create(pods, pod('p'));
        const wanted = {
          ...created,
          status: { ...created.status, phase: 'Running' },
          spec: { ...created.spec, priority: 7 },
        };
        const updated = await client.update(pods, wanted as Pod, { subresource: 'status' });
        assert.deepEqual([updated.status.phase, updated.spec], ['Running', created.spec]);
        const patched = await client.patch(
          pods,
          named('p'),
          'merge',
          { status: { phase: 'Failed' } },
          { subresource: 'status' },
        );
        assert.equal(patched.status.phase, 'Failed');
      });

      it('bind pods to nodes', async () => {
        await client.create(pods, pod('p'));
        const body = { apiVersion: 'v1', kind: 'Binding', metadata: named('p'), target: { kind: 'Node', name: 'n' } };
        await client.subresource(pods, named('p'), 'binding', { method: 'POST', body });
        assert.equal((await client.get(pods, named('p'))).spec.nodeName, 'n');
      });

      it('evict pods, and say 429 where a budget forbids it', async () => {
        const evict = (name: string): Promise<unknown> =>
          client.subresource(pods, named(name), 'eviction', {
            method: 'POST',
            body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: named(name) },
          });
        await client.create(pods, pod('free'));
        await evict('free');
        await failsWith(client.get(pods, named('free')), 404, 'NotFound');
        const selector = { matchLabels: { app: 'kept' } };
        const budget = {
          metadata: named('kept'),
          spec: { minAvailable: 1, selector },
          status: {},
        } as unknown as PodDisruptionBudget;
        const { metadata, spec } = await client.create(podDisruptionBudgets, budget);
        const status = {
          observedGeneration: 1,
          disruptionsAllowed: 0,
          currentHealthy: 1,
          desiredHealthy: 1,
          expectedPods: 1,
        };
        await client.update(podDisruptionBudgets, { metadata, spec, status }, { subresource: 'status' });
        const kept = await client.create(pods, pod('kept', { app: 'kept' }));
        const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
        await client.update(pods, { ...kept, status: ready } as unknown as Pod, { subresource: 'status' });
        await failsWith(evict('kept'), 429, 'TooManyRequests');
      });

      it('scale', async () => {
        await client.create(deployments, deployment('d', 2));
        const scale = await client.subresource<Scale>(deployments, named('d'), 'scale', { method: 'GET' });
        assert.deepEqual([scale.kind, scale.spec.replicas], ['Scale', 2]);
        const body = { ...scale, spec: { replicas: 5 } };
        const changed = await client.subresource<Scale>(deployments, named('d'), 'scale', { method: 'PUT', body });
        assert.equal(changed.spec.replicas, 5);
        assert.equal((await client.get(deployments, named('d'))).spec.replicas, 5);
      });

      it('make tokens of service accounts', async () => {
        await client.create(serviceAccounts, { metadata: named('robot') });
        const body = {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata: {},
          spec: { audiences: [], expirationSeconds: 600 },
        };
        const made = await client.subresource<TokenRequest>(serviceAccounts, named('robot'), 'token', {
          method: 'POST',
          body,
        });
        assert.match(made.status.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
      });
    });

    describe('paths', () => {
      it('that are no resource answer JSON, or a Status', async () => {
        const groups = await client.getPath<{ kind: string; groups: { name: string }[] }>('/apis');
        assert.equal(groups.kind, 'APIGroupList');
        assert(groups.groups.some(({ name }) => name === 'apps'));
        await failsWith(client.getPath('/apis/no.such.group/v1'), 404, 'NotFound');
      });
    });

    function pod(name: string, labels: Record<string, string> = {}): Pod {
      return {
        metadata: { name, namespace, labels },
        spec: { containers: [{ name: 'main', image: 'one' }] },
        status: {},
      } as unknown as Pod;
    }

    function deployment(name: string, replicas: number): Deployment {
      const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'one' }] } };
      const spec = { replicas, selector: { matchLabels: { app: name } }, template };
      return { metadata: { name, namespace }, spec, status: {} } as unknown as Deployment;
    }
  });
}

/** Asserts code and reason of a failed call. */
async function failsWith(call: Promise<unknown>, code: number, reason: string): Promise<StatusError> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (problem: unknown) => problem,
  );
  assert(error instanceof StatusError, String(error));
  assert.deepEqual([error.code, error.reason], [code, reason], error.message);
  return error;
}

/** So many events, or all until the end. */
async function collect<T extends ApiObject>(watch: Watch<T>, count = Infinity): Promise<WatchEvent<T>[]> {
  const events: WatchEvent<T>[] = [];
  for await (const event of watch) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

function brief<T extends ApiObject>(event: WatchEvent<T>): string {
  return event.type === 'BOOKMARK' ? event.type : `${event.type} ${event.object.metadata.name}`;
}

function lastVersion<T extends ApiObject>(events: readonly WatchEvent<T>[]): string {
  const last = events.at(-1)!;
  return last.type === 'BOOKMARK' ? last.resourceVersion : last.object.metadata.resourceVersion!;
}
