import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStringSlice, goStruct, type GoText } from '../../../apimachinery/values/go-format.ts';
import type {
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
  ScopeSelector,
} from '../../../generated/types/core-v1.ts';
import { isStandardQuotaResourceName } from './resource-names.ts';

/** Which objects a quota counts: by scope names, or by a selector over them. */

const POD_COUNT: ReadonlySet<string> = new Set(['pods']);
const POD_RESOURCES: ReadonlySet<string> = new Set([
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
]);
const CLAIM_RESOURCES: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'requests.storage']);

/** Each scope with the standard resources that it can divide. */
const SCOPES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Terminating', POD_RESOURCES],
  ['NotTerminating', POD_RESOURCES],
  ['BestEffort', POD_COUNT],
  ['NotBestEffort', POD_RESOURCES],
  ['PriorityClass', POD_RESOURCES],
  ['CrossNamespacePodAffinity', POD_RESOURCES],
  ['VolumeAttributesClass', CLAIM_RESOURCES],
]);

/** Scopes that an object is in or is not: they have no values to choose from. */
const PLAIN_SCOPES = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
]);
const EXISTS_ONLY =
  "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
  'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';
const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['NotTerminating', 'Terminating'],
] as const;
/** Every error shows the whole list: bounds the number for a hostile one. */
const ERRORS_MAX = 16;

export function goScopes(scopes: readonly string[] | undefined): GoText {
  return goStringSlice(scopes);
}

export function validateScopes(spec: ResourceQuotaSpec, errors: FieldErrors): void {
  const path = field('spec', 'scopes');
  const shown = goScopes(spec.scopes);
  for (const scope of spec.scopes ?? []) {
    if (errors.length > ERRORS_MAX) return;
    if (!SCOPES.has(scope)) errors.invalid(path, shown, 'unsupported scope');
    validateResourcesOfScope(scope, spec, shown, path, errors);
  }
  validateNoOpposites(spec.scopes ?? [], shown, path, errors);
}

export function validateScopeSelector(spec: ResourceQuotaSpec, errors: FieldErrors): void {
  const { scopeSelector } = spec;
  if (scopeSelector === undefined) return;
  const path = field('spec', 'scopeSelector', 'matchExpressions');
  const requirements = scopeSelector.matchExpressions ?? [];
  const shown = goScopeSelector(scopeSelector);
  for (const requirement of requirements) {
    if (errors.length > ERRORS_MAX) return;
    const { scopeName } = requirement;
    if (!SCOPES.has(scopeName)) errors.invalid(path.child('scopeName'), scopeName, 'unsupported scope');
    validateResourcesOfScope(scopeName, spec, shown, path, errors);
    validateOperator(requirement, path, errors);
  }
  validateNoOpposites(
    requirements.map((requirement) => requirement.scopeName),
    goScopes(spec.scopes),
    path,
    errors,
  );
}

function validateResourcesOfScope(
  scope: string,
  spec: ResourceQuotaSpec,
  shown: GoText,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const divided = SCOPES.get(scope);
  if (divided === undefined) return;
  for (const name of Object.keys(spec.hard ?? {}).sort()) {
    if (errors.length > ERRORS_MAX) return;
    if (isStandardQuotaResourceName(name) && !divided.has(name))
      errors.invalid(path, shown, 'unsupported scope applied to resource');
  }
}

function validateOperator(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (PLAIN_SCOPES.has(scopeName) && operator !== 'Exists')
    errors.invalid(path.child('operator'), operator, EXISTS_ONLY);
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        errors.required(
          path.child('values'),
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        );
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        errors.invalid(
          path.child('values'),
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        );
      break;
    default:
      errors.invalid(path.child('operator'), operator, 'not a valid selector operator');
  }
}

function validateNoOpposites(scopes: readonly string[], shown: GoText, path: FieldPath, errors: FieldErrors): void {
  for (const [one, other] of OPPOSITES) {
    if (scopes.includes(one) && scopes.includes(other)) errors.invalid(path, shown, 'conflicting scopes');
  }
}

function goScopeSelector({ matchExpressions }: ScopeSelector): GoText {
  const items = matchExpressions?.map(({ scopeName, operator, values }) =>
    goStruct({ ScopeName: scopeName, Operator: operator, Values: values ?? null }),
  );
  return goStruct({ MatchExpressions: items ?? null });
}
