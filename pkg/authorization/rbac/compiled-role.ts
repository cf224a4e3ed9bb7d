import type { PolicyRule } from '../../generated/types/rbac-v1.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';
import { ALL, resourcePath, urlMatches } from './policy-rules.ts';

/** A rule as far as the resource has been matched. */
interface ResourceGrant {
  readonly verbs: ReadonlySet<string>;
  /** Absent: objects of any name, and requests without one. */
  readonly names: ReadonlySet<string> | undefined;
}

interface UrlGrant {
  readonly verbs: ReadonlySet<string>;
  readonly pattern: string;
}

/** What is asked, with the keys under which roles may have rules for it: made once per decision. */
export interface RoleQuestion {
  readonly attributes: AuthorizationAttributes;
  readonly keys: readonly string[];
}

export function roleQuestion(attributes: AuthorizationAttributes): RoleQuestion {
  if (!attributes.isResource) return { attributes, keys: [] };
  const { apiGroup, resource, subresource } = attributes;
  const resources = [resourcePath(resource, subresource), ALL];
  if (subresource !== '') resources.push(`*/${subresource}`);
  return { attributes, keys: [apiGroup, ALL].flatMap((group) => resources.map((name) => keyOf(group, name))) };
}

function keyOf(group: string, resource: string): string {
  return `${group}\n${resource}`;
}

/** The rules of one role, found by group and resource instead of one after the other. Immutable. */
export class CompiledRole {
  readonly rules: readonly PolicyRule[];
  private readonly byResource = new Map<string, ResourceGrant[]>();
  private readonly urls: UrlGrant[] = [];

  constructor(rules: readonly PolicyRule[]) {
    this.rules = rules;
    for (const rule of rules) this.add(rule);
  }

  allows({ attributes, keys }: RoleQuestion): boolean {
    const { verb, name } = attributes;
    if (!attributes.isResource) return this.urls.some(({ verbs, pattern }) => hasVerb(verbs, verb) && urlMatches(pattern, attributes.path));
    for (const key of keys) {
      const grants = this.byResource.get(key);
      if (grants === undefined) continue;
      for (const { verbs, names } of grants) if (hasVerb(verbs, verb) && (names === undefined || names.has(name))) return true;
    }
    return false;
  }

  private add(rule: PolicyRule): void {
    const verbs = new Set(rule.verbs);
    const names = rule.resourceNames === undefined || rule.resourceNames.length === 0 ? undefined : new Set(rule.resourceNames);
    for (const pattern of rule.nonResourceURLs ?? []) this.urls.push({ verbs, pattern });
    for (const group of rule.apiGroups ?? []) {
      for (const resource of rule.resources ?? []) {
        const key = keyOf(group, resource);
        const grants = this.byResource.get(key);
        if (grants === undefined) this.byResource.set(key, [{ verbs, names }]);
        else grants.push({ verbs, names });
      }
    }
  }
}

function hasVerb(verbs: ReadonlySet<string>, verb: string): boolean {
  return verbs.has(verb) || verbs.has(ALL);
}
