import assert from 'node:assert/strict';
import { apiServices } from '../../api/apiregistration/tokens.ts';
import { apiService } from '../../api/apiregistration/api-service/api-service.ts';
import type { APIService } from '../../generated/types/apiregistration-v1.ts';
import { changeOwn, createOwn } from '../../registry/own-writes.ts';
import { deleteObject } from '../../registry/delete-object.ts';
import { ownWrite } from '../../registry/own-writes.ts';
import { openRegistry, type TestRegistry } from '../../registry/registry-testing.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import { ensureLocalApiServices } from './local-api-services.ts';

describe('API services of what a server serves itself', () => {
  let registry: TestRegistry;
  let store: ResourceStore<APIService>;
  beforeEach(async () => {
    registry = openRegistry([apiService]);
    store = (await registry.replica())(apiServices);
  });
  afterEach(() => registry.stop());

  const all = async (): Promise<APIService[]> => {
    await store.cacher.fresh();
    return [...store.cache.snapshot().values()].map((cached) => cached.object());
  };
  const names = async (): Promise<string[]> => (await all()).map(({ metadata }) => metadata.name ?? '');
  const one = async (name: string): Promise<APIService> =>
    (await all()).find(({ metadata }) => metadata.name === name)!;
  const byHand = (version: string, labels: Record<string, string> = {}): Promise<void> =>
    createOwn(store, {
      metadata: { name: `${version}.example.com`, labels },
      spec: { group: 'example.com', version, groupPriorityMinimum: 100, versionPriority: 10 },
    });
  const served = [
    'v1',
    'apps/v1',
    'apps/v1beta1',
    'autoscaling/v2',
    'apiregistration.k8s.io/v1',
    'resource.k8s.io/v1',
    'example.com/v1',
  ];

  it('are made with the priorities of the groups, and available', async () => {
    await ensureLocalApiServices(store, served);
    assert.deepEqual(
      (await all()).map(({ metadata, spec }) => [
        metadata.name,
        spec.group,
        spec.version,
        spec.groupPriorityMinimum,
        spec.versionPriority,
      ]),
      [
        ['v1.', undefined, 'v1', 18000, 1],
        ['v1.apps', 'apps', 'v1', 17800, 15],
        ['v1.resource.k8s.io', 'resource.k8s.io', 'v1', 16200, 21],
        ['v2.autoscaling', 'autoscaling', 'v2', 17500, 30],
      ],
    );
    const { metadata, status } = await one('v1.apps');
    assert.deepEqual(metadata.labels, { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' });
    assert.deepEqual(
      status.conditions!.map(({ type, status: is, reason, message }) => [type, is, reason, message]),
      [['Available', 'True', 'Local', 'Local APIServices are always available']],
    );
  });

  it('follow what is served at the next start, and leave those of others', async () => {
    await byHand('v1');
    await byHand('v2', { 'kube-aggregator.kubernetes.io/automanaged': 'true' });
    await ensureLocalApiServices(store, served);
    await ensureLocalApiServices(store, ['v1', 'apps/v1']);
    assert.deepEqual(await names(), ['v1.', 'v1.apps', 'v1.example.com', 'v2.example.com']);
  });

  it('get back at a start what a user has changed, unless the label has gone', async () => {
    await ensureLocalApiServices(store, served);
    for (const name of ['v1.apps', 'v2.autoscaling'])
      await changeOwn(store, '', name, ({ spec }) => (spec.groupPriorityMinimum = 5));
    await changeOwn(store, '', 'v2.autoscaling', ({ metadata }) => delete metadata.labels);
    await deleteObject(store, { ...ownWrite(store, '', 'v1.'), options: {} });
    await ensureLocalApiServices(store, served);
    assert.equal((await one('v1.apps')).spec.groupPriorityMinimum, 17800);
    assert.equal((await one('v2.autoscaling')).spec.groupPriorityMinimum, 5);
    assert.ok((await names()).includes('v1.'));
  });

  it('are not written again where nothing differs', async () => {
    await ensureLocalApiServices(store, served);
    const before = (await all()).map(({ metadata }) => metadata.resourceVersion);
    await ensureLocalApiServices(store, served);
    assert.deepEqual(
      (await all()).map(({ metadata }) => metadata.resourceVersion),
      before,
    );
  });

  it('are made once by servers that start together', async () => {
    const stores = await Promise.all([1, 2, 3].map(async () => (await registry.replica())(apiServices)));
    await Promise.all(stores.map((each) => ensureLocalApiServices(each, served)));
    assert.equal((await names()).length, 4);
  });
});
