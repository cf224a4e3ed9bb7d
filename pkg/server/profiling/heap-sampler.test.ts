import assert from 'node:assert/strict';
import type { HeapProfiler } from 'node:inspector';
import { HEAP_SAMPLING_BYTES, heapSampler } from './heap-sampler.ts';

describe('heapSampler', () => {
  const bytesOf = (node: HeapProfiler.SamplingHeapProfileNode, name: string): number =>
    (node.callFrame.functionName === name ? node.selfSize : 0) + node.children.reduce((sum, child) => sum + bytesOf(child, name), 0);

  function keepMuch(): number[][] {
    return Array.from({ length: 200 }, () => new Array<number>(HEAP_SAMPLING_BYTES / 16).fill(0.5));
  }

  it('tells where what is in use was allocated, for as long as somebody uses it', async () => {
    await heapSampler.start();
    await heapSampler.start();
    let kept: number[][] | undefined = keepMuch();
    heapSampler.stop();
    const { head } = await heapSampler.profile();
    assert.ok(bytesOf(head, 'keepMuch') + bytesOf(head, '') > 20 * HEAP_SAMPLING_BYTES, JSON.stringify(head).slice(0, 1000));
    assert.equal(kept.length, 200);
    kept = undefined;
    assert.ok(bytesOf((await heapSampler.profile()).head, 'keepMuch') < 20 * HEAP_SAMPLING_BYTES);
    heapSampler.stop();
    await assert.rejects(heapSampler.profile(), /not sampled/);
  });
});
