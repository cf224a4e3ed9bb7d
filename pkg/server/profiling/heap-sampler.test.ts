import assert from 'node:assert/strict';
import type { HeapProfiler } from 'node:inspector';
import { HEAP_SAMPLING_BYTES, heapSampler } from './heap-sampler.ts';

describe('heapSampler', () => {
  type Node = HeapProfiler.SamplingHeapProfileNode;
  const total = (node: Node): number => node.children.reduce((sum, child) => sum + total(child), node.selfSize);
  const below = (node: Node, name: string): number =>
    node.callFrame.functionName === name
      ? total(node)
      : node.children.reduce((sum, child) => sum + below(child, name), 0);

  /** Far more than is missed by chance. */
  function keepMuch(): number[][] {
    return Array.from({ length: 300_000 }, (_, i) => [i, i, i]);
  }

  it('reports where memory in use was allocated, as long as it is in use', async () => {
    await heapSampler.start();
    await heapSampler.start();
    let kept: number[][] | undefined = keepMuch();
    heapSampler.stop();
    const { head } = await heapSampler.profile();
    assert.ok(below(head, 'keepMuch') > 8 * HEAP_SAMPLING_BYTES, String(below(head, 'keepMuch')));
    assert.equal(kept.length, 300_000);
    kept = undefined;
    assert.ok(below((await heapSampler.profile()).head, 'keepMuch') < 4 * HEAP_SAMPLING_BYTES);
    heapSampler.stop();
    await assert.rejects(heapSampler.profile(), /not sampled/);
  });
});
