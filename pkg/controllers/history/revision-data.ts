import { sortKeys } from '../../apimachinery/json/sort-keys.ts';
import type { PodTemplateSpec } from '../../generated/types/core-v1.ts';
import { hasSameFields } from '../owned/same-fields.ts';

/** The data of a revision: a patch that puts its template into the object again. */
export interface RevisionData {
  readonly spec: { readonly template: PodTemplateSpec & { readonly $patch: 'replace' } };
}

/** With the keys of every object in order: stock managers compare the bytes of the data with those that they make. */
export function revisionData(template: PodTemplateSpec): RevisionData {
  return sortKeys({ spec: { template: { ...template, $patch: 'replace' } } }) as RevisionData;
}

/** The template that a revision keeps. */
export function templateOf(data: unknown): PodTemplateSpec {
  const { $patch: _, ...template } = (data as RevisionData).spec.template;
  return template;
}

/** Earlier releases wrote a `creationTimestamp` of null, which says nothing else. */
export function isSameData(data: unknown, other: unknown): boolean {
  return hasSameFields(data, other);
}
