import assert from 'node:assert/strict';
import { deployments } from '../../api/apps/tokens.ts';
import { configMaps, namespaces, pods } from '../../api/core/tokens.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import type { OwnerReference } from '../../apimachinery/meta/object.ts';
import type { Deployment } from '../../generated/types/apps-v1.ts';
import type { Scale } from '../../generated/types/autoscaling-v1.ts';
import type { ConfigMap, Pod } from '../../generated/types/core-v1.ts';
import type { Client } from '../rest/client.ts';

/** A server without objects in the namespace `writes`, and a client that may do everything. */
export interface WriteFixture {
  readonly client: Client;
  stop(): Promise<void>;
}

const namespace = 'writes';
const named = (name: string): { namespace: string; name: string } => ({ namespace, name });
const { signal } = new AbortController();

/** What controllers rely on when they write: the fake cluster of tests and the real servers agree on it. */
export function describeWrites(title: string, start: () => Promise<WriteFixture>): void {
  describe(`Writes of clients (${title})`, () => {
    let fixture: WriteFixture;
    let client: Client;
    before(async () => {
      fixture = await start();
      ({ client } = fixture);
      await client.create(namespaces, { metadata: { name: namespace }, spec: {}, status: {} });
    });
    after(() => fixture.stop());

    const configMap = (name: string, finalizers: string[] = []): Promise<ConfigMap> =>
      client.create(configMaps, { metadata: { ...named(name), ...(finalizers.length > 0 ? { finalizers } : {}) } });
    const pod = (name: string): Promise<Pod> =>
      client.create(pods, {
        metadata: named(name),
        spec: { containers: [{ name: 'main', image: 'one' }], terminationGracePeriodSeconds: 30 },
        status: {},
      } as unknown as Pod);
    const bind = (name: string): Promise<unknown> => {
      const body = { apiVersion: 'v1', kind: 'Binding', metadata: named(name), target: { kind: 'Node', name: 'n' } };
      return client.subresource(pods, named(name), 'binding', { method: 'POST', body });
    };
    const deployment = (name: string): Promise<Deployment> => {
      const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'one' }] } };
      const spec = { replicas: 2, selector: { matchLabels: { app: name } }, template };
      return client.create(deployments, { metadata: named(name), spec, status: {} } as unknown as Deployment);
    };
    /** Types of the events of an object, from the version to its end. */
    async function eventsOf(name: string, resourceVersion: string): Promise<string[]> {
      const seen: string[] = [];
      const fieldSelector = `metadata.name=${name}`;
      for await (const { type } of client.watch(configMaps, { namespace, fieldSelector, resourceVersion })) {
        seen.push(type);
        if (type === 'DELETED') break;
      }
      return seen;
    }

    it('fill in what the server decides', async () => {
      const made = await client.create(configMaps, { metadata: { namespace, generateName: 'made-', uid: 'mine' } });
      assert.match(made.metadata.name!, /^made-[a-z0-9]{5}$/);
      assert.notEqual(made.metadata.uid, 'mine');
      assert.match(made.metadata.creationTimestamp!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.equal(made.metadata.generation, undefined);
      assert.equal((await deployment('made')).metadata.generation, 1);
      await failsWith(client.create(configMaps, { metadata: { namespace } }), 422);
      await failsWith(client.create(configMaps, { metadata: { namespace, name: made.metadata.name! } }), 409);
    });

    it('count generations of the specification alone', async () => {
      const created = await deployment('counted');
      const labelled = await client.patch(deployments, named('counted'), 'merge', { metadata: { labels: { a: 'b' } } });
      assert.equal(labelled.metadata.generation, 1);
      const scaled = await client.update(deployments, { ...labelled, spec: { ...created.spec, replicas: 3 } });
      assert.equal(scaled.metadata.generation, 2);
      const same = await client.update(deployments, scaled);
      assert.equal(same.metadata.resourceVersion, scaled.metadata.resourceVersion);
    });

    it('keep status and specification apart', async () => {
      const created = await deployment('apart');
      const changed = { ...created, spec: { ...created.spec, replicas: 5 }, status: { replicas: 7 } } as Deployment;
      const updated = await client.update(deployments, changed);
      assert.deepEqual([updated.spec.replicas, updated.status.replicas ?? 0], [5, 0]);
      const spec = { ...updated.spec, replicas: 9 };
      const reported = await client.update(deployments, { ...updated, spec, status: { replicas: 4 } } as Deployment, {
        subresource: 'status',
      });
      assert.deepEqual([reported.spec.replicas, reported.status.replicas, reported.metadata.generation], [5, 4, 2]);
      const options = { subresource: 'status' };
      const patch = { spec: { replicas: 1 }, status: { readyReplicas: 1 } };
      const patched = await client.patch(deployments, named('apart'), 'merge', patch, options);
      assert.deepEqual([patched.spec.replicas, patched.status.replicas, patched.status.readyReplicas], [5, 4, 1]);
    });

    it('conflict with other versions and other objects of the name', async () => {
      const created = await configMap('contested');
      await client.update(configMaps, { ...created, data: { k: 'v' } });
      await failsWith(client.update(configMaps, { ...created, data: { k: 'w' } }), 409);
      const { resourceVersion: _, ...metadata } = created.metadata;
      await client.update(configMaps, { ...created, metadata, data: { k: 'x' } });
      await failsWith(client.update(configMaps, { ...created, metadata: { ...metadata, uid: 'other' } }), 409);
      await failsWith(client.patch(configMaps, named('contested'), 'merge', { metadata: { uid: 'other' } }), 422);
      await failsWith(client.delete(configMaps, named('contested'), { preconditions: { uid: 'other' } }), 409);
      await failsWith(client.delete(configMaps, named('contested'), { preconditions: { resourceVersion: '1' } }), 409);
      await client.delete(configMaps, named('contested'), { preconditions: { uid: created.metadata.uid! } });
      await failsWith(client.update(configMaps, { ...created, metadata }), 409);
      const { uid: __, ...withoutUid } = metadata;
      await failsWith(client.update(configMaps, { ...created, metadata: withoutUid }), 404);
    });

    it('leave an object with finalizers, marked, until they are gone', async () => {
      const created = await configMap('held', ['example.com/a', 'example.com/b']);
      await client.delete(configMaps, named('held'));
      const marked = await client.get(configMaps, named('held'));
      assert.match(marked.metadata.deletionTimestamp!, /Z$/);
      assert.equal(marked.metadata.deletionGracePeriodSeconds, 0);
      await client.delete(configMaps, named('held'));
      assert.deepEqual(await client.get(configMaps, named('held')), marked);
      const finalizers = [...marked.metadata.finalizers!, 'example.com/c'];
      await failsWith(client.update(configMaps, { ...marked, metadata: { ...marked.metadata, finalizers } }), 422);
      const { deletionTimestamp: _, ...metadata } = marked.metadata;
      const kept = await client.update(configMaps, {
        ...marked,
        metadata: { ...metadata, finalizers: ['example.com/b'] },
      });
      assert.equal(kept.metadata.deletionTimestamp, marked.metadata.deletionTimestamp);
      await client.patch(configMaps, named('held'), 'merge', { metadata: { finalizers: null } });
      await failsWith(client.get(configMaps, named('held')), 404);
      assert.deepEqual(await eventsOf('held', created.metadata.resourceVersion!), ['MODIFIED', 'MODIFIED', 'DELETED']);
    });

    it('ask the garbage collector by finalizers', async () => {
      for (const [propagationPolicy, finalizer] of [
        ['Foreground', 'foregroundDeletion'],
        ['Orphan', 'orphan'],
      ] as const) {
        await deployment(`policy-${finalizer.toLowerCase()}`);
        const name = named(`policy-${finalizer.toLowerCase()}`);
        await client.delete(deployments, name, { propagationPolicy });
        const { metadata } = await client.get(deployments, name);
        assert.deepEqual([metadata.finalizers, metadata.generation], [[finalizer], 2]);
        await client.delete(deployments, name, { propagationPolicy: 'Background' });
        await failsWith(client.get(deployments, name), 404);
      }
    });

    it('give pods on nodes their grace period, and end it early', async () => {
      await pod('unbound');
      await client.delete(pods, named('unbound'));
      await failsWith(client.get(pods, named('unbound')), 404);
      await pod('bound');
      await bind('bound');
      await client.delete(pods, named('bound'));
      const { metadata, spec } = await client.get(pods, named('bound'));
      assert.deepEqual([spec.nodeName, metadata.deletionGracePeriodSeconds], ['n', 30]);
      const untilEnd = Date.parse(metadata.deletionTimestamp!) - Date.parse(metadata.creationTimestamp!);
      assert.equal(untilEnd >= 30_000, true);
      await client.delete(pods, named('bound'), { gracePeriodSeconds: 0 });
      await failsWith(client.get(pods, named('bound')), 404);
    });

    it('evict pods as they are deleted', async () => {
      await pod('evicted');
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: named('evicted') };
      await client.subresource(pods, named('evicted'), 'eviction', { method: 'POST', body });
      await failsWith(client.get(pods, named('evicted')), 404);
    });

    it('end namespaces when their content has been finalized', async () => {
      const spec = { finalizers: ['kubernetes'] };
      await client.create(namespaces, { metadata: { name: 'ending' }, spec, status: { phase: 'Active' } });
      await client.delete(namespaces, { name: 'ending' });
      const ending = await client.get(namespaces, { name: 'ending' });
      assert.equal(ending.status.phase, 'Terminating');
      assert.notEqual(ending.metadata.deletionTimestamp, undefined);
      await client.update(namespaces, { ...ending, spec: { finalizers: [] } }, { subresource: 'finalize' });
      await failsWith(client.get(namespaces, { name: 'ending' }), 404);
    });

    it('let one owner control an object, until it is released', async () => {
      const owner = (uid: string, controller: boolean): OwnerReference => ({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: uid,
        uid,
        controller,
      });
      const { metadata } = await configMap('owned');
      const adopt = (uid: string): Promise<ConfigMap> => {
        const patch = { metadata: { uid: metadata.uid, ownerReferences: [owner(uid, true)] } };
        return client.patch(configMaps, named('owned'), 'strategic', patch);
      };
      await adopt('one');
      await failsWith(adopt('two'), 422);
      const release = { metadata: { uid: metadata.uid, ownerReferences: [{ $patch: 'delete', uid: 'one' }] } };
      const released = await client.patch(configMaps, named('owned'), 'strategic', release);
      assert.deepEqual(released.metadata.ownerReferences ?? [], []);
      assert.deepEqual((await adopt('two')).metadata.ownerReferences, [owner('two', true)]);
    });

    it('scale by subresource', async () => {
      await deployment('scaled');
      const scale = await client.subresource<Scale>(deployments, named('scaled'), 'scale', { method: 'GET' });
      assert.deepEqual([scale.spec.replicas, scale.status?.selector], [2, 'app=scaled']);
      const body = { ...scale, spec: { replicas: 6 } };
      await client.subresource<Scale>(deployments, named('scaled'), 'scale', { method: 'PUT', body });
      const { metadata, spec } = await client.get(deployments, named('scaled'));
      assert.deepEqual([spec.replicas, metadata.generation], [6, 2]);
      const stale = client.subresource<Scale>(deployments, named('scaled'), 'scale', { method: 'PUT', body });
      await failsWith(stale, 409);
      await failsWith(client.subresource(configMaps, named('scaled'), 'scale', { method: 'GET' }), 404);
    });

    it('are seen by selectors of fields that the kind has', async () => {
      await pod('selected');
      await bind('selected');
      const { items } = await client.list(pods, { namespace, fieldSelector: 'spec.nodeName=n' });
      assert.deepEqual(
        items.map(({ metadata }) => metadata.name),
        ['selected'],
      );
      await failsWith(client.list(pods, { namespace, fieldSelector: 'spec.image=n' }), 400);
      await failsWith(client.list(pods, { namespace, labelSelector: '!!' }), 400);
    });

    it('of many objects take those that are selected', async () => {
      for (const name of ['one', 'two', 'three']) {
        await client.create(configMaps, { metadata: { ...named(name), labels: { all: 'yes', [name]: 'yes' } } });
      }
      await client.deleteCollection(configMaps, { namespace, labelSelector: 'all,!two' }, { signal });
      const { items } = await client.list(configMaps, { namespace, labelSelector: 'all' });
      assert.deepEqual(
        items.map(({ metadata }) => metadata.name),
        ['two'],
      );
    });
  });
}

async function failsWith(call: Promise<unknown>, code: number): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert(error instanceof StatusError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
}
