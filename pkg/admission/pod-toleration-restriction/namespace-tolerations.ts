import { tolerationsFromJson } from '../../api/core/pod-spec/tolerations-json.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { Namespace, Toleration } from '../../generated/types/core-v1.ts';
import { plainFailure } from '../refusal.ts';

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const ALLOWED = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
/** Every toleration of a pod is compared with each of them. */
const TOLERATIONS_MAX = 256;

/** The settings in a namespace's annotations; undefined without any, so that the cluster's settings apply. */
export function defaultTolerations(namespace: Namespace): readonly Toleration[] | undefined {
  return tolerationsIn(namespace, DEFAULTS);
}

export function allowedTolerations(namespace: Namespace): readonly Toleration[] | undefined {
  return tolerationsIn(namespace, ALLOWED);
}

function tolerationsIn({ metadata }: Namespace, annotation: string): readonly Toleration[] | undefined {
  const text = getKey<string>(metadata.annotations, annotation);
  if (text === undefined) return undefined;
  if (text === '') return [];
  try {
    const tolerations = tolerationsFromJson(text);
    if (tolerations.length > TOLERATIONS_MAX) throw new Error(`must not have more than ${TOLERATIONS_MAX} tolerations`);
    return tolerations;
  } catch (error) {
    throw plainFailure(`annotation ${annotation} of namespace ${metadata.name}: ${(error as Error).message}`);
  }
}
