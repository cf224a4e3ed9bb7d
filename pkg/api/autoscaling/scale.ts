import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { validateNonNegative, validateObjectMeta } from '../../apimachinery/meta/object-meta-validation.ts';
import { nameIsDns1123Subdomain } from '../../apimachinery/names/names.ts';
import type { ObjectMeta } from '../../apimachinery/meta/object.ts';
import type { Scale as ScaleV1beta1 } from '../../generated/types/apps-v1beta1.ts';
import type { Scale } from '../../generated/types/autoscaling-v1.ts';

/**
 * The body of `scale` subresources. Four versions of one kind: autoscaling/v1 has the selector as text;
 * extensions/v1beta1, apps/v1beta1 and apps/v1beta2 have it as a map too, where a map can express it.
 */

const SCALE_VERSIONS = ['autoscaling/v1', 'extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2'] as const;
export type ScaleVersion = (typeof SCALE_VERSIONS)[number];

/** The scale fields of an object; see `ScaleAccess`. */
export interface ScaleCounts {
  specReplicas: number;
  statusReplicas: number;
  selector: string;
  matchLabels?: Record<string, string>;
}

/** The version of the Scale that an object served in `parentVersion` has. */
export function scaleVersionOf(parentVersion: string): ScaleVersion {
  return SCALE_VERSIONS.find((version) => version === parentVersion) ?? 'autoscaling/v1';
}

/** The Scale of an object with this metadata, a JSON shape with apiVersion and kind. */
export function buildScale(parent: ObjectMeta, counts: ScaleCounts, groupVersion: ScaleVersion): Scale | ScaleV1beta1 {
  const scale = {
    kind: 'Scale',
    apiVersion: groupVersion,
    metadata: scaleMetadata(parent),
    // Zero is left out, as in any object.
    spec: counts.specReplicas === 0 ? {} : { replicas: counts.specReplicas },
  };
  const { statusReplicas: replicas, selector, matchLabels } = counts;
  const text = selector === '' ? undefined : selector;
  if (groupVersion === 'autoscaling/v1')
    return { ...scale, status: text === undefined ? { replicas } : { replicas, selector: text } };
  const status: ScaleV1beta1['status'] = { replicas };
  if (matchLabels !== undefined && Object.keys(matchLabels).length > 0) status.selector = { ...matchLabels };
  if (text !== undefined) status.targetSelector = text;
  return { ...scale, status };
}

/** A Scale has its object's identity and version, and none of its labels and annotations. */
function scaleMetadata(parent: ObjectMeta): Scale['metadata'] {
  const metadata: Scale['metadata'] = {
    name: parent.name,
    ...(parent.creationTimestamp === undefined ? {} : { creationTimestamp: parent.creationTimestamp }),
  };
  if (parent.namespace) metadata.namespace = parent.namespace;
  if (parent.uid) metadata.uid = parent.uid;
  if (parent.resourceVersion) metadata.resourceVersion = parent.resourceVersion;
  return metadata;
}

/** The replicas in a Scale of any version. */
export function scaleReplicas(scale: Scale | ScaleV1beta1): number {
  return scale.spec.replicas ?? 0;
}

/** Checks a client's Scale. Errors are of kind Scale in group autoscaling. */
export function validateScale(scale: Scale | ScaleV1beta1, errors: FieldErrors): void {
  validateObjectMeta(
    scale.metadata,
    { namespaced: true, validateName: nameIsDns1123Subdomain },
    field('metadata'),
    errors,
  );
  validateNonNegative(scaleReplicas(scale), field('spec', 'replicas'), errors);
}
