import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { newAllocationCounts } from '../../registry/allocators/allocator.ts';
import { allocatorFamilies, nodePortFamilies, type MeasuredPorts, type MeasuredRange } from './allocator-families.ts';
import { registerFamilies } from './metric-family.ts';

describe('allocatorFamilies', () => {
  it('shows taken and free items, and requests by kind', async () => {
    const ranges: MeasuredRange[] = [];
    const registry = new Registry();
    registerFamilies(
      registry,
      allocatorFamilies(() => ranges),
    );
    const lines = async (): Promise<string[]> =>
      (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
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

  it('shows how long it took', async () => {
    const registry = new Registry();
    const counts = newAllocationCounts();
    registerFamilies(
      registry,
      allocatorFamilies(() => [{ range: { text: '10.0.0.0/29', size: 6 }, taken: 1, counts }]),
    );
    assert.doesNotMatch(await registry.metrics(), /allocation_duration_seconds_count/);
    counts.times.since(performance.now() - 1500);
    assert.match(
      await registry.metrics(),
      /^kube_apiserver_clusterip_allocator_allocation_duration_seconds_bucket\{le="1\.024",cidr="10\.0\.0\.0\/29"\} 0\n.*\{le="\+Inf",cidr="10\.0\.0\.0\/29"\} 1$/m,
    );
  });

  it('shows the node ports when the server is attached', async () => {
    const registry = new Registry();
    const known: MeasuredPorts[] = [];
    registerFamilies(
      registry,
      nodePortFamilies(() => known[0]),
    );
    const lines = async (): Promise<string[]> =>
      (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    assert.deepEqual(await lines(), []);
    const counts = newAllocationCounts();
    counts.dynamic.allocated = 2;
    known.push({ range: { size: 2768 }, takenCount: 3, counts });
    assert.deepEqual(await lines(), [
      'kube_apiserver_nodeport_allocator_allocated_ports 3',
      'kube_apiserver_nodeport_allocator_available_ports 2765',
      'kube_apiserver_nodeport_allocator_allocation_total{scope="dynamic"} 2',
    ]);
  });
});
