import type * as v1 from '../../../generated/types/flowcontrol-v1.ts';
import type * as v1beta2 from '../../../generated/types/flowcontrol-v1beta2.ts';
import type * as v1beta3 from '../../../generated/types/flowcontrol-v1beta3.ts';

/**
 * Two beta versions call the shares `assuredConcurrencyShares`, and in all three zero means the default. Objects that
 * have no shares at all have an annotation there, and nowhere else, so that nothing is lost.
 */
export const PRESERVE_ZERO_ANNOTATION = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

export function levelFromBeta3(level: v1beta3.PriorityLevelConfiguration): v1.PriorityLevelConfiguration {
  return { ...level, metadata: withoutAnnotation(level.metadata) };
}

export function levelToBeta3(level: v1.PriorityLevelConfiguration): v1beta3.PriorityLevelConfiguration {
  const { limited, ...rest } = level.spec;
  const spec: v1beta3.PriorityLevelConfigurationSpec = rest;
  if (limited !== undefined)
    spec.limited = { ...limited, nominalConcurrencyShares: limited.nominalConcurrencyShares ?? 0 };
  return { ...level, metadata: withAnnotation(level), spec };
}

/** `v1beta1` has the same shape. */
export function levelFromBeta2(level: v1beta2.PriorityLevelConfiguration): v1.PriorityLevelConfiguration {
  const { limited, ...rest } = level.spec;
  const spec: v1.PriorityLevelConfigurationSpec = rest;
  if (limited !== undefined) {
    const { assuredConcurrencyShares, ...others } = limited;
    spec.limited = { nominalConcurrencyShares: assuredConcurrencyShares, ...others };
  }
  return { ...level, metadata: withoutAnnotation(level.metadata), spec };
}

export function levelToBeta2(level: v1.PriorityLevelConfiguration): v1beta2.PriorityLevelConfiguration {
  const { limited, ...rest } = level.spec;
  const spec: v1beta2.PriorityLevelConfigurationSpec = rest;
  if (limited !== undefined) {
    const { nominalConcurrencyShares, ...others } = limited;
    spec.limited = { assuredConcurrencyShares: nominalConcurrencyShares ?? 0, ...others };
  }
  return { ...level, metadata: withAnnotation(level), spec };
}

type Metadata = v1.PriorityLevelConfiguration['metadata'];

function withAnnotation({ metadata, spec }: v1.PriorityLevelConfiguration): Metadata {
  if (spec.limited?.nominalConcurrencyShares !== 0) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, [PRESERVE_ZERO_ANNOTATION]: '' } };
}

function withoutAnnotation(metadata: Metadata): Metadata {
  if (metadata.annotations?.[PRESERVE_ZERO_ANNOTATION] === undefined) return metadata;
  const annotations = { ...metadata.annotations };
  delete annotations[PRESERVE_ZERO_ANNOTATION];
  const result = { ...metadata, annotations };
  if (Object.keys(annotations).length === 0) delete (result as Metadata).annotations;
  return result;
}
