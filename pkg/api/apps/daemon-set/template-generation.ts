import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { ObjectMeta } from '../../../apimachinery/meta/object.ts';
import type { DaemonSet } from '../../../generated/types/apps-v1.ts';
import type { DaemonSet as DaemonSetV1beta1 } from '../../../generated/types/extensions-v1beta1.ts';
import { parseInt64, setAnnotation, takeAnnotation } from '../int64-annotation.ts';
import { selectorFromHub, selectorToHub } from '../selector-presence.ts';

/**
 * A daemon set counts the changes of its template. In extensions/v1beta1 the count is `spec.templateGeneration`; the
 * other versions, and the hub with them, keep it in an annotation. Clients choose it at creation only.
 */
export const TEMPLATE_GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';

/** Throws DecodeError when the annotation is no number. */
export function templateGeneration(meta: ObjectMeta): number | bigint {
  const text = getKey<string>(meta.annotations, TEMPLATE_GENERATION_ANNOTATION);
  return text === undefined ? 0 : parseInt64(text);
}

function setTemplateGeneration(meta: ObjectMeta, generation: number | bigint): void {
  setAnnotation(meta, TEMPLATE_GENERATION_ANNOTATION, String(generation));
}

export function prepareForCreate(object: DaemonSet): void {
  const generation = templateGeneration(object.metadata);
  setTemplateGeneration(object.metadata, generation < 1 ? 1 : generation);
}

export function prepareForUpdate(object: DaemonSet, old: DaemonSet): void {
  const before = templateGeneration(old.metadata);
  const changed = !semanticDeepEqual(object.spec.template, old.spec.template);
  setTemplateGeneration(object.metadata, changed ? BigInt(before) + 1n : before);
}

/** apps/v1 and apps/v1beta2 have the hub's shape; an annotation that is no number is refused here. */
export function appsToHub(object: DaemonSet): DaemonSet {
  if (getKey(object.metadata.annotations, TEMPLATE_GENERATION_ANNOTATION) !== undefined) {
    setTemplateGeneration(object.metadata, templateGeneration(object.metadata));
  }
  return object;
}

export function v1beta1ToHub(object: DaemonSetV1beta1): DaemonSet {
  const generation = object.spec.templateGeneration ?? 0;
  delete object.spec.templateGeneration;
  setTemplateGeneration(object.metadata, generation);
  return selectorToHub(object) as DaemonSet;
}

export function v1beta1FromHub(object: DaemonSet): DaemonSetV1beta1 {
  const generation = templateGeneration(object.metadata);
  takeAnnotation(object.metadata, TEMPLATE_GENERATION_ANNOTATION);
  const converted = selectorFromHub(object) as DaemonSetV1beta1;
  // int64 beyond 2^53 is a BigInt at run time; zero is left out.
  if (Number(generation) !== 0) converted.spec.templateGeneration = generation as number;
  return converted;
}
