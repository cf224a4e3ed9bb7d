import { claimEvaluator } from './claim-evaluator.ts';
import { deviceClaimEvaluator } from './device-claim-evaluator.ts';
import type { QuotaEvaluator } from './evaluator.ts';
import { objectCountEvaluator } from './object-count-evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { serviceEvaluator } from './service-evaluator.ts';

/** Counts that had a name of their own before all objects could be counted. */
const WITH_OLDER_NAMES = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'];
/** Questions and short notes: nothing of them stays. */
const NEVER_COUNTED = new Set([
  'bindings',
  'events',
  'events.events.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
]);

/** Finds how a resource counts; undefined for what no quota can bound. */
export type EvaluatorOf = (group: string, resource: string) => QuotaEvaluator | undefined;

export function quotaEvaluators(nowMs: () => number): EvaluatorOf {
  const known = new Map<string, QuotaEvaluator>([
    ['pods', podEvaluator(nowMs)],
    ['services', serviceEvaluator],
    ['persistentvolumeclaims', claimEvaluator],
    ['resourceclaims.resource.k8s.io', deviceClaimEvaluator],
  ]);
  for (const resource of WITH_OLDER_NAMES) known.set(resource, objectCountEvaluator('', resource, resource));
  return (group, resource) => {
    const name = group === '' ? resource : `${resource}.${group}`;
    if (NEVER_COUNTED.has(name)) return undefined;
    const found = known.get(name) ?? objectCountEvaluator(group, resource);
    known.set(name, found);
    return found;
  };
}
