import assert from 'node:assert/strict';
import type { Filter, RequestContext } from '../request/request-context.ts';
import type { RequestMetrics } from './record-metrics.ts';
import { timed } from './timed.ts';

describe('timed', () => {
  const told: [string, number][] = [];
  const metrics: RequestMetrics = {
    started: () => undefined,
    finished: () => undefined,
    handshakeFailed: () => undefined,
    authorized: () => undefined,
    filterPassed: (name, seconds) => told.push([name, seconds]),
  };
  const spend = (ms: number): void => {
    for (const began = performance.now(); performance.now() - began < ms;);
  };
  const slow: Filter = (next) => (context) => {
    spend(20);
    return next(context);
  };
  const refusing: Filter = () => () => Promise.resolve();
  const run = (filter: Filter): Promise<void> => filter(async () => spend(60))({} as RequestContext);

  beforeEach(() => void told.splice(0));

  it('counts the filter alone, not the filters behind it', async () => {
    await run((next) => timed('authentication', metrics, slow)(timed('audit', metrics, (after) => after)(next)));
    assert.deepEqual(
      told.map(([name]) => name),
      ['authentication', 'audit'],
    );
    assert.ok(told[0]![1] >= 0.02);
    assert.ok(told[1]![1] < told[0]![1]);
  });

  it('counts nothing of a request that the filter answers itself', async () => {
    await run(timed('authorization', metrics, refusing));
    assert.deepEqual(told, []);
  });
});
