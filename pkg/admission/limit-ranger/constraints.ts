import { MILLI_SAFE_MAX, type Quantity } from '../../apimachinery/values/quantity.ts';
import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import { amountsOf, type Amounts } from '../../api/core/resource-quota/usage/amounts.ts';
import { podResources } from '../../api/core/resource-quota/usage/pod-resources.ts';

/** Limit of messages in one answer. */
const PROBLEMS_MAX = 1000;

/** The amounts that are compared with the bounds of one item. */
export interface Usage {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** The violations of a pod's bounds, in words that clients know. */
export function podProblems(pod: Pod, range: LimitRange): string[] {
  const problems: string[] = [];
  const items = range.spec.limits ?? [];
  const containers = items.some(({ type }) => type === 'Container')
    ? [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])].map(({ resources }) => usageOf(resources))
    : [];
  const whole = items.some(({ type }) => type === 'Pod')
    ? { requests: podResources(pod, 'requests'), limits: podResources(pod, 'limits') }
    : undefined;
  for (const item of items) {
    const bounds = allBoundsOf(item);
    if (item.type === 'Container') for (const usage of containers) check(bounds, usage, problems);
    else if (item.type === 'Pod') check(bounds, whole!, problems);
  }
  return problems;
}

/** How many bounds of a range its items have for each container. */
export function containerBounds({ spec }: LimitRange): number {
  let count = 0;
  for (const { type, ...lists } of spec.limits ?? []) {
    if (type === 'Container') for (const list of Object.values(lists)) count += Object.keys(list ?? {}).length;
  }
  return count;
}

function usageOf({ requests, limits }: { requests?: Record<string, string>; limits?: Record<string, string> }): Usage {
  return { requests: amountsOf(requests), limits: amountsOf(limits) };
}

/** The same for a volume claim, which has only requests. */
export function claimProblems(claim: PersistentVolumeClaim, range: LimitRange): string[] {
  const problems: string[] = [];
  const usage = { requests: amountsOf(claim.spec.resources.requests), limits: new Map() };
  for (const item of range.spec.limits ?? []) {
    if (item.type !== 'PersistentVolumeClaim') continue;
    for (const bound of boundsOf(item.type, item.min)) add(problems, belowMinimum(bound, usage));
    for (const bound of boundsOf(item.type, item.max)) add(problems, requestAboveMaximum(bound, usage));
  }
  return problems;
}

/** One bound of one resource: `what` is the resource, `per` the kind of item. */
interface Bound {
  readonly what: string;
  readonly per: string;
  readonly value: Quantity;
}

interface ItemBounds {
  readonly min: readonly Bound[];
  readonly max: readonly Bound[];
  readonly ratio: readonly Bound[];
}

function allBoundsOf({ type, min, max, maxLimitRequestRatio }: LimitRangeItem): ItemBounds {
  return { min: boundsOf(type, min), max: boundsOf(type, max), ratio: boundsOf(type, maxLimitRequestRatio) };
}

function check({ min, max, ratio }: ItemBounds, usage: Usage, problems: string[]): void {
  for (const bound of min) add(problems, belowMinimum(bound, usage));
  for (const bound of max) add(problems, aboveMaximum(bound, usage));
  for (const bound of ratio) add(problems, aboveRatio(bound, usage));
}

function add(problems: string[], problem: string | undefined): void {
  if (problem !== undefined && problems.length < PROBLEMS_MAX) problems.push(problem);
}

function boundsOf(per: string, list: Record<string, string> | undefined): Bound[] {
  return [...amountsOf(list)].map(([what, value]) => ({ what, per, value }));
}

function belowMinimum({ what, per, value }: Bound, usage: Usage): string | undefined {
  const head = `minimum ${what} usage per ${per} is ${value}`;
  const request = usage.requests.get(what);
  const limit = usage.limits.get(what);
  if (request === undefined) return `${head}.  No request is specified`;
  if (request.compare(value) < 0) return `${head}, but request is ${request}`;
  if (limit !== undefined && limit.compare(value) < 0) return `${head}, but limit is ${limit}`;
  return undefined;
}

function aboveMaximum(bound: Bound, usage: Usage): string | undefined {
  const { what, per, value } = bound;
  const head = `maximum ${what} usage per ${per} is ${value}`;
  const limit = usage.limits.get(what);
  if (limit === undefined) return `${head}.  No limit is specified`;
  if (limit.compare(value) > 0) return `${head}, but limit is ${limit}`;
  return usage.requests.get(what) === undefined ? undefined : requestAboveMaximum(bound, usage);
}

function requestAboveMaximum({ what, per, value }: Bound, usage: Usage): string | undefined {
  const head = `maximum ${what} usage per ${per} is ${value}`;
  const request = usage.requests.get(what);
  if (request === undefined) return `${head}.  No request is specified`;
  return request.compare(value) > 0 ? `${head}, but request is ${request}` : undefined;
}

function aboveRatio({ what, per, value }: Bound, usage: Usage): string | undefined {
  const head = `${what} max limit to request ratio per ${per} is ${value}`;
  const request = usage.requests.get(what);
  const limit = usage.limits.get(what);
  if (request === undefined || request.isZero()) return `${head}, but no request is specified or request is 0`;
  if (limit === undefined || limit.isZero()) return `${head}, but no limit is specified or limit is 0`;
  const ratio = quotient(limit, request);
  const isAbove =
    value.value() > MILLI_SAFE_MAX ? ratio > Number(value.value()) : ratio * 1000 > Number(value.milliValue());
  return isAbove ? `${head}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

/** In thousandths where both have them: a quotient of fractions may miss the bound that it meets. */
function quotient(limit: Quantity, request: Quantity): number {
  const isFine = limit.value() <= MILLI_SAFE_MAX && request.value() <= MILLI_SAFE_MAX;
  return isFine
    ? Number(limit.milliValue()) / Number(request.milliValue())
    : Number(limit.value()) / Number(request.value());
}
