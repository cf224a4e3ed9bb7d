import type { PodTemplateSpec } from '../../generated/types/core-v1.ts';
import { hasSameFields } from '../owned/same-fields.ts';

/** The data of a revision: a patch that puts its template into the object again. */
export interface RevisionData {
  readonly spec: { readonly template: PodTemplateSpec & { readonly $patch: 'replace' } };
}

/** With the keys of every object in order: stock managers compare the bytes of the data with those that they make. */
export function revisionData(template: PodTemplateSpec): RevisionData {
  return sorted({ spec: { template: { ...template, $patch: 'replace' } } }) as RevisionData;
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

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
