import { FieldErrors, fieldErrorText } from '../../apimachinery/errors/field-errors.ts';
import { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../apimachinery/names/names.ts';
import { parseYaml, YamlError } from '../../codec/yaml.ts';
import { LEVELS, STAGES, type AuditLevel, type AuditStage } from '../event.ts';
import type { AuditPolicy, GroupResources, PolicyRule } from './policy.ts';
import { PolicyFields } from './policy-fields.ts';

/** All errors of a policy file, one line each, by field. */
export class AuditPolicyError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'AuditPolicyError';
    this.problems = problems;
  }
}

const VERSIONS: readonly string[] = ['audit.k8s.io/v1', 'audit.k8s.io/v1beta1', 'audit.k8s.io/v1alpha1'];
const POLICY_FIELDS = ['apiVersion', 'kind', 'metadata', 'rules', 'omitStages', 'omitManagedFields'];
const RULE_FIELDS = [
  'level',
  'users',
  'userGroups',
  'verbs',
  'resources',
  'namespaces',
  'nonResourceURLs',
  'omitStages',
  'omitManagedFields',
];
const RESOURCE_FIELDS = ['group', 'resources', 'resourceNames'];

/** Reads a policy file (YAML or JSON), which has one form in all versions. Throws `AuditPolicyError`. */
export function readPolicy(text: string): AuditPolicy {
  const errors = new FieldErrors();
  const fields = new PolicyFields(parse(text), FieldPath.root(), errors, POLICY_FIELDS);
  const [apiVersion, kind] = [fields.text('apiVersion'), fields.text('kind')];
  if (!VERSIONS.includes(apiVersion)) errors.notSupported(fields.at('apiVersion'), apiVersion, VERSIONS);
  if (kind !== 'Policy') errors.notSupported(fields.at('kind'), kind, ['Policy']);
  const rules = fields.list('rules').map((rule, i) => readRule(rule, fields.at('rules').index(i), errors));
  if (rules.length === 0) errors.required(fields.at('rules'), 'a policy without rules writes nothing down');
  const policy = {
    rules,
    omitStages: readStages(fields, errors),
    omitManagedFields: fields.flag('omitManagedFields') ?? false,
  };
  if (errors.length > 0) throw new AuditPolicyError(errors.items.map(fieldErrorText));
  return policy;
}

function parse(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    if (error instanceof YamlError) throw new AuditPolicyError([error.message]);
    throw error;
  }
}

function readRule(value: unknown, path: FieldPath, errors: FieldErrors): PolicyRule {
  const fields = new PolicyFields(value, path, errors, RULE_FIELDS);
  const nonResourceUrls = fields.texts('nonResourceURLs');
  for (const [i, url] of nonResourceUrls.entries()) checkUrl(url, fields.at('nonResourceURLs').index(i), errors);
  const resources = fields
    .list('resources')
    .map((item, i) => readResources(item, fields.at('resources').index(i), errors));
  const namespaces = fields.texts('namespaces');
  if (nonResourceUrls.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    errors.invalid(
      fields.at('nonResourceURLs'),
      nonResourceUrls,
      'rules cannot apply to both regular resources and non-resource URLs',
    );
  }
  return {
    level: readLevel(fields, errors),
    users: fields.texts('users'),
    userGroups: fields.texts('userGroups'),
    verbs: fields.texts('verbs'),
    resources,
    namespaces,
    nonResourceUrls,
    omitStages: readStages(fields, errors),
    omitManagedFields: fields.flag('omitManagedFields'),
  };
}

function readLevel(fields: PolicyFields, errors: FieldErrors): AuditLevel {
  const level = fields.text('level');
  const known = LEVELS.find((l) => l === level);
  if (level === '') errors.required(fields.at('level'));
  else if (known === undefined) errors.notSupported(fields.at('level'), level, LEVELS);
  return known ?? 'None';
}

function readStages(fields: PolicyFields, errors: FieldErrors): readonly AuditStage[] {
  return fields.texts('omitStages').flatMap((stage, i) => {
    const known = STAGES.find((s) => s === stage);
    if (known === undefined)
      errors.invalid(fields.at('omitStages').index(i), stage, `allowed stages are ${STAGES.join(',')}`);
    return known ?? [];
  });
}

function readResources(value: unknown, path: FieldPath, errors: FieldErrors): GroupResources {
  const fields = new PolicyFields(value, path, errors, RESOURCE_FIELDS);
  const [group, resources, resourceNames] = [
    fields.text('group'),
    fields.texts('resources'),
    fields.texts('resourceNames'),
  ];
  const problems = group === '' ? [] : nameIsDns1123Subdomain(group, false);
  if (problems.length > 0) errors.invalid(fields.at('group'), group, problems.join(','));
  if (resourceNames.length > 0 && resources.length === 0)
    errors.invalid(fields.at('resourceNames'), resourceNames, 'using resourceNames requires at least one resource');
  return { group, resources, resourceNames };
}

function checkUrl(url: string, path: FieldPath, errors: FieldErrors): void {
  if (url === '*') return;
  if (!url.startsWith('/')) errors.invalid(path, url, "non-resource URL rules must begin with a '/' character");
  if (url.slice(0, -1).includes('*'))
    errors.invalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule");
}
