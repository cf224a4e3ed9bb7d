import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStringSlice } from '../../../apimachinery/values/go-format.ts';
import { nameIsDns1123Label } from '../../../apimachinery/names/names.ts';
import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
} from '../../../generated/types/flowcontrol-v1.ts';
import { validateSubject } from './subject-validation.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const NAMESPACE_WORDS = "each member of this list must be '*' or a DNS-1123 label; ";

/** Checks the subjects and rules of a flow schema. */
export function validateRules(rules: PolicyRulesWithSubjects, path: FieldPath, errors: FieldErrors): void {
  const subjects = rules.subjects ?? [];
  if (subjects.length === 0) errors.required(path.child('subjects'), 'subjects must contain at least one value');
  for (const [i, subject] of subjects.entries()) validateSubject(subject, path.child('subjects').index(i), errors);
  const { resourceRules = [], nonResourceRules = [] } = rules;
  if (resourceRules.length + nonResourceRules.length === 0) {
    errors.required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty');
  }
  for (const [i, rule] of resourceRules.entries())
    validateResourceRule(rule, path.child('resourceRules').index(i), errors);
  for (const [i, rule] of nonResourceRules.entries())
    validateNonResourceRule(rule, path.child('nonResourceRules').index(i), errors);
}

function validateResourceRule(rule: ResourcePolicyRule, path: FieldPath, errors: FieldErrors): void {
  validateVerbs(rule.verbs ?? [], path.child('verbs'), errors);
  const groups = rule.apiGroups ?? [];
  if (groups.length === 0)
    errors.required(path.child('apiGroups'), 'resource rules must supply at least one api group');
  else validateLoneWildcard(groups, path.child('apiGroups'), 'api groups', errors);
  const resources = rule.resources ?? [];
  if (resources.length === 0)
    errors.required(path.child('resources'), 'resource rules must supply at least one resource');
  else validateLoneWildcard(resources, path.child('resources'), 'resources', errors);
  const namespaces = rule.namespaces ?? [];
  const namespacesPath = path.child('namespaces');
  if (namespaces.length === 0 && !rule.clusterScope) {
    errors.required(namespacesPath, 'resource rules that are not cluster scoped must supply at least one namespace');
  } else if (namespaces.includes('*')) {
    validateLoneWildcard(namespaces, namespacesPath, 'namespaces', errors);
  } else {
    for (const [i, namespace] of namespaces.entries()) {
      for (const problem of nameIsDns1123Label(namespace, false))
        errors.invalid(namespacesPath.index(i), namespace, `${NAMESPACE_WORDS}${problem}`);
    }
  }
}

function validateNonResourceRule(rule: NonResourcePolicyRule, path: FieldPath, errors: FieldErrors): void {
  validateVerbs(rule.verbs ?? [], path.child('verbs'), errors);
  const urls = rule.nonResourceURLs ?? [];
  const urlsPath = path.child('nonResourceURLs');
  if (urls.length === 0) errors.required(urlsPath, 'nonResourceURLs must contain at least one value');
  else if (urls.includes('*')) validateLoneWildcard(urls, urlsPath, 'non-resource URLs', errors);
  else {
    for (const [i, url] of urls.entries()) {
      const problem = urlProblem(url);
      if (problem !== undefined) errors.invalid(urlsPath.index(i), url, problem);
    }
  }
}

function validateVerbs(verbs: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (verbs.length === 0) errors.required(path, 'verbs must contain at least one value');
  else if (verbs.includes('*')) validateLoneWildcard(verbs, path, 'verbs', errors);
  else if (!verbs.every((verb) => VERBS.includes(verb))) errors.notSupported(path, goStringSlice(verbs), VERBS);
}

function validateLoneWildcard(items: readonly string[], path: FieldPath, words: string, errors: FieldErrors): void {
  if (items.length > 1 && items.includes('*'))
    errors.invalid(path, goStringSlice(items), `if '*' is present, must not specify other ${words}`);
}

/** A path, perhaps with `/*` at its end. */
function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const wildcard = url.indexOf('*');
  return wildcard >= 0 && (wildcard < url.length - 1 || !url.endsWith('/*'))
    ? 'wildcard can only do suffix matching'
    : undefined;
}
