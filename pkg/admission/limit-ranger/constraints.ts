import { getKey } from '../../apimachinery/own-keys.ts';
import { parseQuantity, type Quantity } from '../../apimachinery/quantity.ts';
import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import { podResources } from '../pod-resources.ts';

type Quantities = Record<string, string> | undefined;

/** What is held against the bounds of one item. */
export interface Usage {
  readonly requests: Quantities;
  readonly limits: Quantities;
}

/** What of a pod lies outside of the bounds, in words that clients know. */
export function podProblems(pod: Pod, range: LimitRange): string[] {
  const problems: string[] = [];
  for (const item of range.spec.limits ?? []) {
    if (item.type === 'Container') {
      for (const { resources } of [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])]) {
        check(item, { requests: resources.requests, limits: resources.limits }, problems);
      }
    } else if (item.type === 'Pod') {
      check(item, { requests: podResources(pod, 'requests'), limits: podResources(pod, 'limits') }, problems);
    }
  }
  return problems;
}

/** The same for a volume claim, which has requests alone. */
export function claimProblems(claim: PersistentVolumeClaim, range: LimitRange): string[] {
  const problems: string[] = [];
  const usage = { requests: claim.spec.resources.requests, limits: undefined };
  for (const item of range.spec.limits ?? []) {
    if (item.type !== 'PersistentVolumeClaim') continue;
    for (const bound of boundsOf(item.type, item.min)) add(problems, belowMinimum(bound, usage));
    for (const bound of boundsOf(item.type, item.max)) add(problems, requestAboveMaximum(bound, usage));
  }
  return problems;
}

/** One bound of one resource: `what` is the resource, `per` the kind of thing it bounds. */
interface Bound {
  readonly what: string;
  readonly per: string;
  readonly value: Quantity;
}

function check(item: LimitRangeItem, usage: Usage, problems: string[]): void {
  for (const bound of boundsOf(item.type, item.min)) add(problems, belowMinimum(bound, usage));
  for (const bound of boundsOf(item.type, item.max)) add(problems, aboveMaximum(bound, usage));
  for (const bound of boundsOf(item.type, item.maxLimitRequestRatio)) add(problems, aboveRatio(bound, usage));
}

function add(problems: string[], problem: string | undefined): void {
  if (problem !== undefined) problems.push(problem);
}

function boundsOf(per: string, quantities: Quantities): Bound[] {
  return Object.entries(quantities ?? {}).map(([what, text]) => ({ what, per, value: parseQuantity(text) }));
}

function amount(quantities: Quantities, what: string): Quantity | undefined {
  const text = getKey<string>(quantities, what);
  return text === undefined ? undefined : parseQuantity(text);
}

function belowMinimum({ what, per, value }: Bound, usage: Usage): string | undefined {
  const head = `minimum ${what} usage per ${per} is ${value}`;
  const request = amount(usage.requests, what);
  const limit = amount(usage.limits, what);
  if (request === undefined) return `${head}.  No request is specified`;
  if (request.compare(value) < 0) return `${head}, but request is ${request}`;
  if (limit !== undefined && limit.compare(value) < 0) return `${head}, but limit is ${limit}`;
  return undefined;
}

function aboveMaximum(bound: Bound, usage: Usage): string | undefined {
  const { what, per, value } = bound;
  const head = `maximum ${what} usage per ${per} is ${value}`;
  const limit = amount(usage.limits, what);
  if (limit === undefined) return `${head}.  No limit is specified`;
  if (limit.compare(value) > 0) return `${head}, but limit is ${limit}`;
  return amount(usage.requests, what) === undefined ? undefined : requestAboveMaximum(bound, usage);
}

function requestAboveMaximum({ what, per, value }: Bound, usage: Usage): string | undefined {
  const head = `maximum ${what} usage per ${per} is ${value}`;
  const request = amount(usage.requests, what);
  if (request === undefined) return `${head}.  No request is specified`;
  return request.compare(value) > 0 ? `${head}, but request is ${request}` : undefined;
}

function aboveRatio({ what, per, value }: Bound, usage: Usage): string | undefined {
  const head = `${what} max limit to request ratio per ${per} is ${value}`;
  const request = amount(usage.requests, what);
  const limit = amount(usage.limits, what);
  if (request === undefined || request.isZero()) return `${head}, but no request is specified or request is 0`;
  if (limit === undefined || limit.isZero()) return `${head}, but no limit is specified or limit is 0`;
  const ratio = limit.asFloat() / request.asFloat();
  return ratio > value.asFloat() ? `${head}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
