import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { validateLabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import { isDns1035Label, isDns1123Subdomain, nameIsPathSegment } from '../../apimachinery/names/names.ts';
import {
  FailurePolicyTypeValues,
  type MatchResources,
  MatchPolicyTypeValues,
  type MutatingAdmissionPolicySpec,
  type NamedRuleWithOperations,
  type ParamKind,
  type ValidatingAdmissionPolicySpec,
  type Variable,
} from '../../generated/types/admissionregistration-v1.ts';
import { validateMatchConditions } from './match-conditions-validation.ts';
import { validateRule } from './rule-validation.ts';

/** The common part of both kinds of policy. Expressions are required but not compiled. */

const CEL_IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const CEL_RESERVED: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

export function validatePolicySpec(
  spec: ValidatingAdmissionPolicySpec | MutatingAdmissionPolicySpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { failurePolicy, paramKind, matchConstraints } = spec;
  if (failurePolicy === undefined) errors.required(path.child('failurePolicy'));
  else if (!FailurePolicyTypeValues.includes(failurePolicy))
    errors.notSupported(path.child('failurePolicy'), failurePolicy, FailurePolicyTypeValues);
  if (paramKind !== undefined) validateParamKind(paramKind, path.child('paramKind'), errors);
  const matchPath = path.child('matchConstraints');
  if (matchConstraints === undefined) errors.required(matchPath);
  else {
    validateMatchResources(matchConstraints, matchPath, errors);
    if (!matchConstraints.resourceRules?.length) errors.required(matchPath.child('resourceRules'));
  }
  validateMatchConditions(spec.matchConditions ?? [], path.child('matchConditions'), errors);
  for (const [i, variable] of (spec.variables ?? []).entries())
    validateVariable(variable, path.child('variables').index(i), errors);
}

export function validateMatchResources(match: MatchResources, path: FieldPath, errors: FieldErrors): void {
  if (match.matchPolicy === undefined) errors.required(path.child('matchPolicy'));
  else if (!MatchPolicyTypeValues.includes(match.matchPolicy))
    errors.notSupported(path.child('matchPolicy'), match.matchPolicy, MatchPolicyTypeValues);
  for (const name of ['namespaceSelector', 'objectSelector'] as const) {
    if (match[name] === undefined) errors.required(path.child(name));
    else validateLabelSelector(match[name], path.child(name), errors);
  }
  for (const name of ['resourceRules', 'excludeResourceRules'] as const) {
    for (const [i, rule] of (match[name] ?? []).entries()) validateNamedRule(rule, path.child(name).index(i), errors);
  }
}

function validateNamedRule(rule: NamedRuleWithOperations, path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, name] of (rule.resourceNames ?? []).entries()) {
    const namePath = path.child('resourceNames').index(i);
    for (const problem of nameIsPathSegment(name, false)) errors.invalid(namePath, name, problem);
    if (seen.has(name)) errors.duplicate(namePath, name);
    seen.add(name);
  }
  validateRule(rule, path, errors);
}

/** Group, version and kind of the objects that hold parameters. */
function validateParamKind({ apiVersion = '', kind = '' }: ParamKind, path: FieldPath, errors: FieldErrors): void {
  const versionPath = path.child('apiVersion');
  const parts = apiVersion.split('/');
  if (apiVersion === '') errors.required(versionPath);
  else if (parts.length > 2) errors.invalid(versionPath, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  else {
    const version = parts.at(-1)!;
    const group = parts.length === 2 ? parts[0]! : '';
    const groupProblems = group === '' ? [] : isDns1123Subdomain(group);
    if (groupProblems.length > 0) errors.invalid(versionPath, group, groupProblems.join(','));
    const versionProblems = isDns1035Label(version);
    if (version === '') errors.invalid(versionPath, apiVersion, 'version must be specified');
    else if (versionProblems.length > 0) errors.invalid(versionPath, version, versionProblems.join(','));
  }
  const kindProblems = isDns1035Label(kind.toLowerCase());
  if (kind === '') errors.required(path.child('kind'));
  else if (kindProblems.length > 0) {
    errors.invalid(
      path.child('kind'),
      kind,
      `may have mixed case, but should otherwise match: ${kindProblems.join(',')}`,
    );
  }
}

function validateVariable({ name, expression }: Variable, path: FieldPath, errors: FieldErrors): void {
  if (name.trim() === '') errors.required(path.child('name'), 'name is not specified');
  else if (!CEL_IDENTIFIER.test(name) || CEL_RESERVED.has(name))
    errors.invalid(path.child('name'), name, 'name is not a valid CEL identifier');
  if (expression.trim() === '') errors.required(path.child('expression'), 'expression is not specified');
}
