import { field } from '../../apimachinery/errors/field-path.ts';
import type { ObjectMeta } from '../../apimachinery/meta/object.ts';
import type { PodTemplateSpec } from '../../generated/types/core-v1.ts';
import { podTemplateWarnings } from '../core/pod-spec/warnings.ts';

interface Workload {
  metadata: ObjectMeta;
  spec: { template: PodTemplateSpec };
}

/** Warns of deprecated and odd settings in the template, unless an update left the spec alone. */
export function templateWarnings(object: Workload, old: Workload | undefined): string[] {
  if (old !== undefined && object.metadata.generation === old.metadata.generation) return [];
  return podTemplateWarnings(object.spec.template, field('spec', 'template'));
}
