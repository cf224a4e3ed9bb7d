import assert from 'node:assert/strict';
import { CpuProfiler } from './cpu-profiler.ts';

describe('CpuProfiler', () => {
  const never = new AbortController().signal;

  function keepBusy(ms: number): number {
    let turns = 0;
    for (const end = performance.now() + ms; performance.now() < end;) turns++;
    return turns;
  }

  it('records what the main thread does', async () => {
    const recording = new CpuProfiler().record(300, never);
    await new Promise((resolve) => setTimeout(resolve, 20));
    keepBusy(200);
    const profile = await recording;
    const names = new Map(profile!.nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
    assert.ok(profile!.samples!.some((id) => names.get(id) === 'keepBusy'));
  });

  it('makes one recording at a time', async () => {
    const profiler = new CpuProfiler();
    const first = profiler.record(50, never);
    assert.equal(await profiler.record(50, never), undefined);
    assert.ok(await first);
    assert.ok(await profiler.record(1, never));
  });

  it('ends on abort, and can start again', async () => {
    const profiler = new CpuProfiler();
    const leaving = new AbortController();
    const recording = profiler.record(3_600_000, leaving.signal);
    setImmediate(() => leaving.abort());
    assert.ok((await recording)!.nodes.length > 0);
    assert.ok(await profiler.record(3_600_000, AbortSignal.abort()));
  });
});
