import {
  COMPUTE_QUOTA_NAMES,
  COMPUTE_RESOURCES,
  isExtendedResourceName,
  isQuotaHugePageResourceName,
  isStandardContainerResourceName,
} from '../../../validation/resource-names.ts';
import type { Quantity } from '../../../../apimachinery/values/quantity.ts';
import type { Pod, PodSpec } from '../../../../generated/types/core-v1.ts';
import { podResources } from './pod-resources.ts';
import { added, amountsOf, type Amounts } from './amounts.ts';
import type { QuotaEvaluator } from './evaluator.ts';
import { ONE } from './object-count-evaluator.ts';
import { hasDeadline, podInScope } from './pod-scopes.ts';

const COUNT = 'count/pods';
const NAMES = new Set([COUNT, 'pods', ...COMPUTE_QUOTA_NAMES]);
/** Where these are bounded, every container has to set them. */
const TO_BE_SPECIFIED = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);
const REQUESTS = 'requests.';

/** Counts pods and their requests; pods that have ended count as objects only. */
export function podEvaluator(nowMs: () => number): QuotaEvaluator<Pod> {
  return {
    operations: ['CREATE'],
    counts: (name) => NAMES.has(name) || isQuotaHugePageResourceName(name) || isExtendedRequest(name),
    usage(pod) {
      const count = new Map([[COUNT, ONE]]);
      return hasEnded(pod, nowMs()) ? count : added(count, runningUsage(pod));
    },
    missing: missingAmounts,
    changesScope: (pod, old) => hasDeadline(pod) !== hasDeadline(old),
    inScope: podInScope,
  };
}

function isExtendedRequest(name: string): boolean {
  return name.startsWith(REQUESTS) && isExtendedResourceName(name.slice(REQUESTS.length));
}

/** Ended, or deleted for so long that its node cannot run it any more. */
function hasEnded({ metadata, status }: Pod, nowMs: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return nowMs > Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1000;
}

function runningUsage(pod: Pod): Amounts {
  const overhead = amountsOf(pod.spec.overhead);
  const requests = added(podResources(pod, 'requests', true), overhead);
  const limits = added(podResources(pod, 'limits', true), overhead);
  return computeUsage(requests, limits);
}

function computeUsage(requests: Amounts, limits: Amounts): Map<string, Quantity> {
  const usage = new Map<string, Quantity>([['pods', ONE]]);
  for (const [name, amount] of requests) {
    if (isStandardContainerResourceName(name)) usage.set(name, amount).set(`${REQUESTS}${name}`, amount);
    else if (isExtendedResourceName(name)) usage.set(`${REQUESTS}${name}`, amount);
  }
  for (const [name, amount] of limits) if (COMPUTE_RESOURCES.has(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

function missingAmounts({ spec }: Pod, bounded: ReadonlySet<string>): string | undefined {
  const containers = new Map<string, Set<string>>();
  const ofPod = specifiedBy(spec);
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const specified = specifiedBy(container);
    for (const name of bounded) {
      if (!TO_BE_SPECIFIED.has(name) || specified.has(name) || ofPod.has(name)) continue;
      containers.set(name, (containers.get(name) ?? new Set()).add(container.name));
    }
  }
  if (containers.size === 0) return undefined;
  return `must specify ${[...containers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, of]) => `${name} for: ${[...of].sort().join(',')}`)
    .join('; ')}`;
}

function specifiedBy({ resources }: Pick<PodSpec, 'resources'>): Amounts {
  return computeUsage(amountsOf(resources?.requests), amountsOf(resources?.limits));
}
