import type { PolicyRule } from '../../../generated/types/rbac-v1.ts';

/** A cluster role as data: with its own rules, or with those of all roles that aggregate to it. */
export interface DefaultClusterRole {
  readonly name: string;
  /** The aggregating role of which this one is a part. */
  readonly aggregateTo?: string;
  /** The aggregation: all roles that aggregate to this name. */
  readonly aggregates?: string;
  readonly rules?: readonly PolicyRule[];
}

/** A role of a namespace as data. */
export interface DefaultRole {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

export const CORE = '';
export const READ = 'get list watch';
export const WRITE = 'create delete deletecollection patch update';

/**
 * Verbs on resources of one or more groups, maybe only on objects of some names. Lists are words with spaces between
 * them.
 */
export function allow(
  verbs: string,
  groups: string | readonly string[],
  resources: string,
  names?: string,
): PolicyRule {
  return {
    apiGroups: typeof groups === 'string' ? [groups] : [...groups],
    resources: resources.split(' '),
    verbs: verbs.split(' '),
    ...(names === undefined ? {} : { resourceNames: names.split(' ') }),
  };
}

/** Verbs on paths outside of resources. */
export function allowUrls(verbs: string, urls: string): PolicyRule {
  return { nonResourceURLs: urls.split(' '), verbs: verbs.split(' ') };
}

/** The rules of a component that writes events. */
export const RECORD_EVENTS = allow('create patch update', [CORE, 'events.k8s.io'], 'events');
