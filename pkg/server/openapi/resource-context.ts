import type { ServedResource } from '../documents/served-resources.ts';
import type { GroupVersionKind } from './json-schema.ts';
import { dataMediaTypes, type MediaTypes, mediaTypes } from './operation.ts';
import type { ParameterSets } from './parameters.ts';
import { groupVersionTag, groupVersionTitle } from './type-names.ts';

/** The common part of a resource's operations. */
export interface ResourceContext {
  readonly resource: ServedResource;
  readonly sets: ParameterSets;
  /** `/apis/apps/v1`. */
  readonly root: string;
  readonly tag: string;
  /** `AppsV1`. */
  readonly title: string;
  /** `NamespacedDeployment`, the end of operation ids. */
  readonly subject: string;
  readonly kind: GroupVersionKind;
  readonly media: MediaTypes;
}

/** `/api/v1` or `/apis/apps/v1`. */
export function rootOf(groupVersion: string): string {
  return groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
}

export function contextOf(resource: ServedResource, sets: ParameterSets): ResourceContext {
  return {
    resource,
    sets,
    root: rootOf(resource.groupVersion),
    tag: groupVersionTag(resource.group, resource.version),
    title: groupVersionTitle(resource.group, resource.version),
    subject: `${resource.namespaced ? 'Namespaced' : ''}${resource.kind}`,
    kind: { group: resource.group, kind: resource.kind, version: resource.version },
    media: resource.schema === undefined ? mediaTypes : dataMediaTypes,
  };
}
