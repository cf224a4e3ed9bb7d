import { localSubjectAccessReviews } from '../../../authorization/tokens.ts';
import {
  configMaps,
  events,
  persistentVolumeClaims,
  pods,
  replicationControllers,
  resourceQuotas,
  secrets,
  services,
} from '../../tokens.ts';
import { resourceClaims } from '../../../resource/tokens.ts';
import { resourceKey, type NamedResource, type Resource } from '../../../resource.ts';
import type { ApiObject } from '../../../../apimachinery/meta/object.ts';
import { claimEvaluator } from './claim-evaluator.ts';
import { deviceClaimEvaluator } from './device-claim-evaluator.ts';
import type { QuotaEvaluator } from './evaluator.ts';
import { objectCountEvaluator } from './object-count-evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { serviceEvaluator } from './service-evaluator.ts';

/** Counts that had another name before all objects could be counted. */
const WITH_OLDER_NAMES = [configMaps, resourceQuotas, replicationControllers, secrets];
/** Reviews and events: nothing of them stays. */
const NEVER_COUNTED = new Set([
  'bindings',
  resourceKey(events),
  'events.events.k8s.io',
  resourceKey(localSubjectAccessReviews),
]);

/** Finds how a resource counts; undefined for one that no quota can bound. */
export type EvaluatorOf = (resource: NamedResource) => QuotaEvaluator | undefined;

export function quotaEvaluators(nowMs: () => number): EvaluatorOf {
  const known = new Map<string, QuotaEvaluator>();
  const register = <T extends ApiObject>(resource: Resource<T>, evaluator: QuotaEvaluator<T>): void =>
    void known.set(resourceKey(resource), evaluator);
  register(pods, podEvaluator(nowMs));
  register(services, serviceEvaluator);
  register(persistentVolumeClaims, claimEvaluator);
  register(resourceClaims, deviceClaimEvaluator);
  for (const token of WITH_OLDER_NAMES) register(token, objectCountEvaluator(token, token.resource));
  return (resource) => {
    const name = resourceKey(resource);
    if (NEVER_COUNTED.has(name)) return undefined;
    const found = known.get(name) ?? objectCountEvaluator(resource);
    known.set(name, found);
    return found;
  };
}
