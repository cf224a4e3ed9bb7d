import assert from 'node:assert/strict';
import type { Pod } from '../../generated/types/core-v1.ts';
import { podOf } from '../service-endpoints/objects-testing.ts';
import type { PodMetrics } from './metric-clients.ts';
import {
  type CalculatorInputs,
  replicasByAverage,
  replicasByTotal,
  replicasByUtilization,
} from './replica-calculator.ts';

const NOW_MS = Date.UTC(2026, 5, 1);

function pod(i: number, more: { phase?: string; startedMs?: number; ready?: boolean } = {}): Pod {
  const { phase = 'Running', startedMs = Date.UTC(2026, 0, 1), ready = true } = more;
  const made = podOf(`p-${i}`, '10.0.0.1', { ready });
  const requests = { cpu: '100m', memory: '1000' };
  return {
    ...made,
    spec: { containers: [{ name: 'main', resources: { requests } }] },
    status: { ...made.status, phase, startTime: new Date(startedMs).toISOString() },
  };
}

const inputs = (pods: readonly Pod[]): CalculatorInputs => ({
  pods,
  replicas: pods.length,
  tolerances: { up: 0.1, down: 0.1 },
  delays: { cpuInitializationMs: 300_000, initialReadinessMs: 30_000 },
  nowMs: NOW_MS,
});
const metrics = (values: readonly number[]): PodMetrics =>
  new Map(values.map((value, i) => [`p-${i}`, { value, timestampMs: NOW_MS, windowMs: 15_000 }]));
const byCpu = (values: readonly number[], pods: readonly Pod[]): number =>
  replicasByUtilization(metrics(values), 50, 'cpu', undefined, inputs(pods)).replicas;

describe('the number of replicas by metrics', () => {
  it('is in proportion to usage', () => {
    assert.equal(byCpu([100, 100, 100], [pod(0), pod(1), pod(2)]), 6);
    assert.equal(byCpu([20, 20, 20], [pod(0), pod(1), pod(2)]), 2);
  });

  it('takes pods without samples to use nothing when it goes up, and all when it goes down', () => {
    assert.equal(byCpu([100, 100], [pod(0), pod(1), pod(2), pod(3)]), 4);
    assert.equal(byCpu([10, 10], [pod(0), pod(1), pod(2)]), 3);
    assert.equal(byCpu([80, 80, 80], [pod(0), pod(1), pod(2), pod(3)]), 5);
  });

  it('takes pods that start to use nothing when it goes up', () => {
    const young = pod(2, { startedMs: NOW_MS - 60_000, ready: false });
    assert.equal(byCpu([100, 100, 1000], [pod(0), pod(1), young]), 4);
    assert.equal(byCpu([100, 100], [pod(0), pod(1), pod(2, { phase: 'Pending' })]), 4);
  });

  it('leaves out pods that failed', () => {
    assert.equal(byCpu([100, 100, 100], [pod(0), pod(1), pod(2, { phase: 'Failed' })]), 4);
  });

  it('needs a request in each container', () => {
    const started = pod(0);
    const bare = { ...started, spec: podOf('p-0', '10.0.0.1').spec };
    assert.throws(() => byCpu([1], [bare]), /missing request for cpu in container main of Pod p-0/);
  });

  it('does not ask for requests where there are no samples', () => {
    const bare = podOf('p-0', '10.0.0.1');
    const problem = /^Error: did not receive metrics for targeted pods \(pods might be unready\)$/;
    assert.throws(() => byCpu([1], [bare]), problem);
  });

  it('says that there are no pods of which to count the ready ones', () => {
    const problem =
      /^Error: unable to calculate ready pods: no pods returned by selector while calculating replica count$/;
    assert.throws(() => replicasByTotal(2000, 1000, { ...inputs([]), replicas: 1 }), problem);
  });

  it('does not depend on readiness for other metrics', () => {
    const young = pod(1, { startedMs: NOW_MS - 60_000, ready: false });
    const { replicas, average } = replicasByAverage(metrics([300, 300]), 100, undefined, inputs([pod(0), young]));
    assert.deepEqual([replicas, average], [6, 300]);
  });

  it('counts ready pods for a value of all of them', () => {
    const all = [pod(0), pod(1), pod(2, { ready: false })];
    assert.equal(replicasByTotal(2000, 1000, inputs(all)), 4);
    assert.equal(replicasByTotal(2500, 1000, { ...inputs([]), replicas: 0 }), 3);
  });
});
