import { tolerationsFromJson } from '../../api/core/pod-spec/tolerations-json.ts';
import { getKey } from '../../apimachinery/own-keys.ts';
import type { Namespace, Toleration } from '../../generated/types/core-v1.ts';
import { plainFailure } from '../refusal.ts';

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const ALLOWED = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';

/** What a namespace's annotations say; undefined where they say nothing, so that the cluster's settings hold. */
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
    return tolerationsFromJson(text);
  } catch (error) {
    throw plainFailure(`annotation ${annotation} of namespace ${metadata.name}: ${(error as Error).message}`);
  }
}
