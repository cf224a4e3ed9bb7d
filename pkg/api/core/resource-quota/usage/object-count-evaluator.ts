import { resourceKey, type NamedResource } from '../../../resource.ts';
import { Quantity } from '../../../../apimachinery/values/quantity.ts';
import type { QuotaEvaluator } from './evaluator.ts';

export const ONE = Quantity.fromInteger(1);

/** The name under which objects of a resource are counted: `count/deployments.apps`. */
export function countName(resource: NamedResource): string {
  return `count/${resourceKey(resource)}`;
}

/** Counts objects; `alias` is the older name of some counts. */
export function objectCountEvaluator(resource: NamedResource, alias?: string): QuotaEvaluator {
  const names = [countName(resource), ...(alias === undefined ? [] : [alias])];
  const usage = new Map(names.map((name) => [name, ONE]));
  return { operations: ['CREATE'], isCountOnly: true, counts: (name) => usage.has(name), usage: () => usage };
}
