import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { RangeAllocator } from '../../registry/allocators/range-allocator.ts';
import { clusterIpRange } from '../../registry/allocators/number-range.ts';
import type { Store } from '../../storage/store.ts';
import { allocatorFamilies } from './allocator-families.ts';
import { registerFamilies } from './metric-family.ts';

describe('allocatorFamilies', () => {
  it('shows what is taken and free, and who asked how', async () => {
    let revision = 0;
    const store = { get: async () => undefined, commit: async () => ({ ok: true, revision: ++revision }) } as unknown as Store;
    const allocator = new RangeAllocator({ store, key: 'ranges/serviceips', range: clusterIpRange('10.0.0.0/29') });
    const registry = new Registry();
    registerFamilies(registry, allocatorFamilies(() => [allocator]));
    const lines = async (): Promise<string[]> => (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    assert.deepEqual(await lines(), [], 'nothing is known before the first look at the store');
    await allocator.allocate('10.0.0.1');
    await allocator.allocateNext();
    await allocator.allocateNext();
    await assert.rejects(allocator.allocate('192.0.2.1'));
    assert.deepEqual(await lines(), [
      'kube_apiserver_clusterip_allocator_allocated_ips{cidr="10.0.0.0/29"} 3',
      'kube_apiserver_clusterip_allocator_available_ips{cidr="10.0.0.0/29"} 3',
      'kube_apiserver_clusterip_allocator_allocation_total{cidr="10.0.0.0/29",scope="dynamic"} 2',
      'kube_apiserver_clusterip_allocator_allocation_total{cidr="10.0.0.0/29",scope="static"} 1',
      'kube_apiserver_clusterip_allocator_allocation_errors_total{cidr="10.0.0.0/29",scope="static"} 1',
    ]);
  });
});
