import assert from 'node:assert/strict';
import { measureCluster } from './cluster.ts';

describe('the benchmark of a cluster', () => {
  it('brings deployments up and down', async () => {
    const figures = await measureCluster({ deployments: 2, replicas: 3, nodes: 2, idleMs: 100 });
    assert.ok(
      Object.values(figures).every((figure) => Number.isFinite(figure) && figure >= 0),
      JSON.stringify(figures),
    );
    assert.ok(figures.readyCpuSeconds > 0 && figures.readyMegabytes > 0);
  });
});
