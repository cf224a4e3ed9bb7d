import assert from 'node:assert/strict';
import { configMaps } from '../../api/core/tokens.ts';
import { resourceToken } from '../../api/resource.ts';
import { resourceExpired, serviceUnavailable, type StatusError } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Client, WatchEvent } from '../rest/client.ts';
import { FakeClient } from './fake-client-testing.ts';
import { FakeCluster } from './fake-cluster-testing.ts';
import { describeWrites } from './write-contract.ts';

describeWrites('fake cluster', () =>
  Promise.resolve({ client: new FakeClient() as Client, stop: () => Promise.resolve() }),
);

interface Widget extends ApiObject {
  spec?: { replicas?: number; size?: string };
  status?: { replicas?: number };
}
const widgets = resourceToken<Widget>('example.com/v1', 'widgets', 'Widget', true);

describe('FakeClient', () => {
  const metadata = { namespace: 'n', name: 'a' };
  let client: FakeClient;
  beforeEach(() => (client = new FakeClient()));

  it('shares its cluster with other clients, each with failures of its own', async () => {
    const other = new FakeClient(client.cluster);
    await client.create(configMaps, { metadata });
    other.failNext('get', serviceUnavailable('away'));
    await assert.rejects(other.get(configMaps, metadata), /away/);
    assert.equal((await other.get(configMaps, metadata)).metadata.name, 'a');
    other.before = ({ verb, name, namespace }) => {
      if (verb === 'delete') throw new Error(`no delete of ${namespace}/${name}`);
    };
    await assert.rejects(other.delete(configMaps, metadata), /no delete of n\/a/);
    await client.delete(configMaps, metadata);
    assert.deepEqual(
      client.writes.map(({ verb }) => verb),
      ['create', 'delete', 'delete'],
    );
  });

  it('returns objects that cannot be changed', async () => {
    const created = await client.create(configMaps, { metadata, data: { k: 'v' } });
    assert.throws(() => (created.data!.k = 'w'), TypeError);
    const put = client.cluster.put(configMaps, { metadata: { namespace: 'n', name: 'b' } });
    assert.throws(() => (put.metadata.name = 'c'), TypeError);
  });

  it('treats unknown kinds as custom resources with status and scale', async () => {
    await client.create(widgets, { metadata, spec: { replicas: 1, size: 'L' } });
    const scale = await client.subresource<Widget>(widgets, metadata, 'scale', { method: 'GET' });
    assert.equal(scale.spec!.replicas, 1);
    await client.patch(widgets, metadata, 'merge', { spec: { replicas: 4 } }, { subresource: 'scale' });
    const patched = await client.patch(widgets, metadata, 'merge', { spec: {}, status: { replicas: 4 } });
    assert.deepEqual(
      [patched.spec, patched.status, patched.metadata.generation],
      [{ replicas: 4, size: 'L' }, undefined, 2],
    );
    await assert.rejects(client.patch(widgets, metadata, 'strategic', {}), (e: StatusError) => e.code === 415);
  });

  it('answers watches from any version in its history, and lists as of then', async () => {
    const cluster = new FakeCluster();
    client = new FakeClient(cluster);
    const { resourceVersion } = (await client.create(configMaps, { metadata })).metadata;
    await client.update(configMaps, { metadata, data: { k: 'v' } });
    await client.delete(configMaps, metadata);
    const seen: string[] = [];
    for await (const event of client.watch(configMaps, { resourceVersion: resourceVersion! })) {
      seen.push(`${event.type} ${(event as WatchEvent<ApiObject> & { object: ApiObject }).object.metadata.name}`);
      if (seen.length === 2) break;
    }
    assert.deepEqual(seen, ['MODIFIED a', 'DELETED a']);
    const options = { resourceVersion: resourceVersion!, resourceVersionMatch: 'Exact' as const };
    assert.equal((await client.list(configMaps, options)).items.length, 1);
    cluster.compact();
    await assert.rejects(client.list(configMaps, options), resourceExpired('revision 101 has been compacted'));
  });

  it('answers what a test has set for subresources and paths', async () => {
    client.paths.set('/apis', { kind: 'APIGroupList' });
    assert.deepEqual(await client.getPath('/apis'), { kind: 'APIGroupList' });
    await assert.rejects(client.getPath('/api'), (e: StatusError) => e.code === 404);
    client.subresources.set('widgets.example.com/log', (_verbs, { kind }, { name }) => ({ kind, name }));
    const answer = await client.subresource(widgets, metadata, 'log', { method: 'GET' });
    assert.deepEqual(answer, { kind: 'Widget', name: 'a' });
  });
});
