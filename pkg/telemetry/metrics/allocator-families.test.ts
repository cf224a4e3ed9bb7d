import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { newAllocationCounts } from '../../registry/allocators/allocator.ts';
import { allocatorFamilies, type MeasuredRange } from './allocator-families.ts';
import { registerFamilies } from './metric-family.ts';

describe('allocatorFamilies', () => {
  it('shows what is taken and free, and who asked how', async () => {
    const ranges: MeasuredRange[] = [];
    const registry = new Registry();
    registerFamilies(registry, allocatorFamilies(() => ranges));
    const lines = async (): Promise<string[]> => (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    assert.deepEqual(await lines(), []);
    const counts = newAllocationCounts();
    counts.static.allocated = 1;
    counts.static.failed = 1;
    counts.dynamic.allocated = 2;
    ranges.push({ range: { text: '10.0.0.0/29', size: 6 }, taken: 3, counts });
    assert.deepEqual(await lines(), [
      'kube_apiserver_clusterip_allocator_allocated_ips{cidr="10.0.0.0/29"} 3',
      'kube_apiserver_clusterip_allocator_available_ips{cidr="10.0.0.0/29"} 3',
      'kube_apiserver_clusterip_allocator_allocation_total{cidr="10.0.0.0/29",scope="dynamic"} 2',
      'kube_apiserver_clusterip_allocator_allocation_total{cidr="10.0.0.0/29",scope="static"} 1',
      'kube_apiserver_clusterip_allocator_allocation_errors_total{cidr="10.0.0.0/29",scope="static"} 1',
    ]);
  });
});
