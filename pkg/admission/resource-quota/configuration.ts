import type { ScopedResourceSelectorRequirement } from '../../generated/types/core-v1.ts';
import { ConfigurationSection } from '../configuration-section.ts';

/** Objects of a resource that may use an amount only where a quota bounds it. */
export interface LimitedResource {
  readonly group: string;
  readonly resource: string;
  /** Parts of amounts' names. */
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly ScopedResourceSelectorRequirement[];
}

const KINDS = [
  'apiserver.config.k8s.io/v1, ResourceQuotaConfiguration',
  ...['v1', 'v1beta1', 'v1alpha1'].map((version) => `resourcequota.admission.k8s.io/${version}, Configuration`),
];

/**
 * Reads `{limitedResources: [{apiGroup, resource, matchContains, matchScopes}]}`; throws Error where it is not of this
 * form.
 */
export function limitedResources(configuration: unknown): readonly LimitedResource[] {
  if (configuration === undefined) return [];
  return ConfigurationSection.ofKind(configuration, KINDS)
    .sections('limitedResources')
    .map((section) => {
      const resource = section.text('resource') ?? '';
      if (resource === '') throw new Error(`${section.at('resource')} must name a resource`);
      return {
        group: section.text('apiGroup') ?? '',
        resource,
        matchContains: section.texts('matchContains'),
        matchScopes: section.sections('matchScopes').map(scopeOf),
      };
    });
}

function scopeOf(section: ConfigurationSection): ScopedResourceSelectorRequirement {
  const scope = { scopeName: section.text('scopeName') ?? '', operator: section.text('operator') ?? '' };
  return section.has('values') ? { ...scope, values: section.texts('values') } : scope;
}
