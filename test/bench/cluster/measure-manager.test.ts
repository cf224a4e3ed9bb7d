import assert from 'node:assert/strict';
import { measureManager } from './measure-manager.ts';

describe('the benchmark of a manager of its own', () => {
  it('brings deployments up and down', async () => {
    const figures = await measureManager({ deployments: 2, replicas: 3, nodes: 2, idleMs: 100 });
    const values = Object.values(figures);
    assert.ok(
      values.every((figure) => Number.isFinite(figure) && figure >= 0),
      JSON.stringify(figures),
    );
    assert.ok(figures.readyCpuSeconds > 0 && figures.readyMegabytes > 0);
  });
});
