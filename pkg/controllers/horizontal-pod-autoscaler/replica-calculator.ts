import { parseQuantity } from '../../apimachinery/values/quantity.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { isReady } from '../owned/pod-state.ts';
import type { PodMetric, PodMetrics } from './metric-clients.ts';
import { groupPods, type ReadinessDelays } from './pod-groups.ts';

/** Shares of 1 by which usage may differ from the target before anything is done. */
export interface Tolerances {
  readonly up: number;
  readonly down: number;
}

export interface CalculatorInputs {
  readonly pods: readonly Pod[];
  readonly replicas: number;
  readonly tolerances: Tolerances;
  readonly delays: ReadinessDelays;
  readonly nowMs: number;
}

export interface Calculated {
  readonly replicas: number;
  /** Percent of requests. */
  readonly utilization?: number;
  /** Thousandths, of one pod. */
  readonly average: number;
}

const NO_PODS = 'no pods returned by selector while calculating replica count';

/** Shares above 100 are not what a pod without samples is taken to use, unless the target is above them too. */
const FULL_PERCENT = 100;

/** Replicas that bring usage to a share of what the pods request. */
export function replicasByUtilization(
  measured: PodMetrics,
  target: number,
  resource: string,
  container: string | undefined,
  inputs: CalculatorInputs,
): Calculated {
  // Read when there are samples: without any, what pods request does not matter.
  let known: ReadonlyMap<string, number> | undefined;
  const requests = (): ReadonlyMap<string, number> => (known ??= requestsOf(inputs.pods, resource, container));
  const ratioOf = (metrics: PodMetrics): { ratio: number; utilization: number; average: number } => {
    let [used, requested, count] = [0, 0, 0];
    for (const [name, { value }] of metrics) {
      const request = requests().get(name);
      if (request === undefined) continue;
      used += value;
      requested += request;
      count++;
    }
    if (requested === 0) throw new Error('no metrics returned matched known pods');
    const utilization = Math.trunc((used * 100) / requested);
    return { ratio: utilization / target, utilization, average: Math.trunc(used / count) };
  };
  const scaleDownValue = (name: string): number =>
    Math.trunc(((requests().get(name) ?? 0) * Math.max(FULL_PERCENT, target)) / 100);
  return calculate(measured, resource, ratioOf, scaleDownValue, inputs);
}

/** Replicas that bring the average of a metric to a value, in thousandths. */
export function replicasByAverage(
  measured: PodMetrics,
  target: number,
  resource: string | undefined,
  inputs: CalculatorInputs,
): Calculated {
  const ratioOf = (metrics: PodMetrics): { ratio: number; average: number } => {
    const total = [...metrics.values()].reduce((sum, { value }) => sum + value, 0);
    const average = Math.trunc(total / metrics.size);
    return { ratio: average / target, average };
  };
  return calculate(measured, resource, ratioOf, () => target, inputs);
}

/** Pods that say nothing count so that they make the change smaller, never so that they turn it around. */
function calculate<R extends { readonly ratio: number; readonly average: number }>(
  measured: PodMetrics,
  resource: string | undefined,
  ratioOf: (metrics: PodMetrics) => R,
  scaleDownValue: (pod: string) => number,
  { pods, replicas, tolerances, delays, nowMs }: CalculatorInputs,
): Calculated {
  if (pods.length === 0) throw new Error(NO_PODS);
  const { readyCount, unready, missing, ignored } = groupPods(pods, measured, resource, delays, nowMs);
  const metrics: PodMetrics = new Map(measured);
  for (const name of [...ignored, ...unready]) metrics.delete(name);
  if (metrics.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  const { ratio, ...current } = ratioOf(metrics);
  const answer = (count: number): Calculated => ({ ...current, replicas: count });
  const countsUnready = unready.size > 0 && ratio > 1;
  if (!countsUnready && missing.size === 0)
    return answer(isWithin(ratio, tolerances) ? replicas : Math.ceil(ratio * readyCount));
  const sample = (value: number): PodMetric => ({ value, timestampMs: nowMs, windowMs: 0 });
  if (ratio !== 1) for (const name of missing) metrics.set(name, sample(ratio < 1 ? scaleDownValue(name) : 0));
  if (countsUnready) for (const name of unready) metrics.set(name, sample(0));
  const adjusted = ratioOf(metrics).ratio;
  if (isWithin(adjusted, tolerances) || (ratio < 1 && adjusted > 1) || (ratio > 1 && adjusted < 1))
    return answer(replicas);
  const wanted = Math.ceil(adjusted * metrics.size);
  return answer((adjusted < 1 && wanted > replicas) || (adjusted > 1 && wanted < replicas) ? replicas : wanted);
}

/** Replicas for a value of all pods together, in thousandths; `specReplicas` 0: the number of pods is not known. */
export function replicasByTotal(usage: number, target: number, inputs: CalculatorInputs): number {
  const ratio = usage / target;
  if (inputs.replicas === 0) return Math.ceil(ratio);
  if (isWithin(ratio, inputs.tolerances)) return inputs.replicas;
  if (inputs.pods.length === 0) throw new Error(`unable to calculate ready pods: ${NO_PODS}`);
  const ready = inputs.pods.filter((pod) => pod.status.phase === 'Running' && isReady(pod)).length;
  return Math.ceil(ratio * ready);
}

/** Replicas for a value that is divided among those that there are. */
export function replicasByShare(
  usage: number,
  target: number,
  present: number,
  tolerances: Tolerances,
): { readonly replicas: number; readonly average: number } {
  const isInTarget = present > 0 && isWithin(usage / (target * present), tolerances);
  return {
    replicas: isInTarget ? present : Math.ceil(usage / target),
    average: present === 0 ? 0 : Math.ceil(usage / present),
  };
}

function isWithin(ratio: number, { up, down }: Tolerances): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

/** Thousandths, by pod. */
function requestsOf(
  pods: readonly Pod[],
  resource: string,
  container: string | undefined,
): ReadonlyMap<string, number> {
  const requests = new Map<string, number>();
  for (const { metadata, spec } of pods) {
    const ofPod = container === undefined ? spec.resources?.requests?.[resource] : undefined;
    if (ofPod !== undefined) {
      requests.set(metadata.name!, milli(ofPod));
      continue;
    }
    const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
    let sum = 0;
    for (const { name, resources } of [...(spec.containers ?? []), ...sidecars]) {
      if (container !== undefined && name !== container) continue;
      const request = resources?.requests?.[resource];
      if (request === undefined)
        throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
      sum += milli(request);
    }
    requests.set(metadata.name!, sum);
  }
  return requests;
}

function milli(text: string): number {
  return Number(parseQuantity(text).milliValue());
}
