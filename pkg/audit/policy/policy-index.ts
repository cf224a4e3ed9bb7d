import { KeyTree } from '../../apimachinery/collections/key-tree.ts';
import type { AuthorizationAttributes } from '../../authorization/authorizer.ts';
import type { AuditLevel, AuditStage } from '../event.ts';
import type { AuditPolicy, GroupResources, PolicyRule } from './policy.ts';

/** The audit level and stages of one request. */
export interface AuditConfig {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** A rule, compiled for matching. */
interface CompiledRule {
  readonly rule: PolicyRule;
  readonly users: ReadonlySet<string> | undefined;
  readonly groups: ReadonlySet<string> | undefined;
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly config: AuditConfig;
}

/** Kinds of requests that are cached: paths come from clients, and may name resources without end. */
const KINDS_MAX = 1000;
/** Longest cached kind, in characters: longer ones name nothing that exists. */
const KIND_LENGTH_MAX = 512;

/**
 * Finds the first rule that matches a request. The rules that may match at all depend on verb and resource, and are
 * cached for each kind of request; users, namespaces and names are compared in these rules alone.
 */
export class PolicyIndex {
  private readonly rules: readonly CompiledRule[];
  private readonly otherwise: AuditConfig;
  private readonly kinds = new KeyTree<readonly CompiledRule[]>();

  constructor(policy: AuditPolicy) {
    this.rules = policy.rules.map((rule) => compile(rule, policy));
    this.otherwise = {
      level: 'None',
      omitStages: new Set(policy.omitStages),
      omitManagedFields: policy.omitManagedFields,
    };
  }

  /** `known`: whether the request is authenticated; rules for users and groups match no other. */
  configFor(attributes: AuthorizationAttributes, known: boolean): AuditConfig {
    for (const compiled of this.candidates(attributes)) {
      if (fits(compiled, attributes, known)) return compiled.config;
    }
    return this.otherwise;
  }

  private candidates(attributes: AuthorizationAttributes): readonly CompiledRule[] {
    const { verb, isResource, apiGroup, resource, subresource } = attributes;
    const about = isResource ? 'resource' : 'path';
    let found = this.kinds.get(verb, resource, apiGroup, subresource, about);
    if (found !== undefined) return found;
    found = this.rules.filter(({ rule }) => mayFit(rule, attributes));
    if (resource.length + apiGroup.length + subresource.length > KIND_LENGTH_MAX) return found;
    if (this.kinds.size >= KINDS_MAX) this.kinds.clear();
    this.kinds.set(verb, resource, apiGroup, subresource, about, found);
    return found;
  }
}

function compile(rule: PolicyRule, policy: AuditPolicy): CompiledRule {
  const setOf = (items: readonly string[]): ReadonlySet<string> | undefined =>
    items.length === 0 ? undefined : new Set(items);
  return {
    rule,
    users: setOf(rule.users),
    groups: setOf(rule.userGroups),
    namespaces: setOf(rule.namespaces),
    config: {
      level: rule.level,
      omitStages: new Set([...policy.omitStages, ...rule.omitStages]),
      omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields,
    },
  };
}

/** Whether the rule matches some request of this verb and resource. */
function mayFit(
  { verbs, resources, namespaces, nonResourceUrls }: PolicyRule,
  attributes: AuthorizationAttributes,
): boolean {
  if (verbs.length > 0 && !verbs.includes(attributes.verb)) return false;
  const forResources = resources.length > 0 || namespaces.length > 0;
  if (!attributes.isResource) return !forResources;
  if (!forResources) return nonResourceUrls.length === 0;
  return resources.length === 0 || resources.some((item) => coversResource(item, attributes));
}

function fits(
  { rule, users, groups, namespaces }: CompiledRule,
  attributes: AuthorizationAttributes,
  known: boolean,
): boolean {
  const { user } = attributes;
  if (users !== undefined && !(known && users.has(user.name))) return false;
  if (groups !== undefined && !(known && user.groups.some((group) => groups.has(group)))) return false;
  if (namespaces !== undefined && !namespaces.has(attributes.namespace)) return false;
  if (attributes.isResource)
    return (
      rule.resources.length === 0 ||
      rule.resources.some((item) => coversName(item, attributes.name) && coversResource(item, attributes))
    );
  return rule.nonResourceUrls.length === 0 || rule.nonResourceUrls.some((url) => coversPath(url, attributes.path));
}

function coversName({ resourceNames }: GroupResources, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

function coversResource(
  { group, resources }: GroupResources,
  { apiGroup, resource, subresource }: AuthorizationAttributes,
): boolean {
  if (group !== apiGroup) return false;
  if (resources.length === 0) return true;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (item) =>
      item === '*' || item === full || item === `${resource}/*` || (subresource !== '' && item === `*/${subresource}`),
  );
}

function coversPath(url: string, path: string): boolean {
  if (url.endsWith('*')) return path.startsWith(url.slice(0, -1));
  return url === path;
}
