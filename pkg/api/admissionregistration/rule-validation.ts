import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { goStringSlice } from '../../apimachinery/values/go-format.ts';
import {
  OperationTypeValues,
  type RuleWithOperations,
  ScopeTypeValues,
} from '../../generated/types/admissionregistration-v1.ts';

/** Checks which requests a webhook or policy matches. */
export function validateRule(rule: RuleWithOperations, path: FieldPath, errors: FieldErrors): void {
  const operations = rule.operations ?? [];
  validateList(operations, path.child('operations'), goStringSlice(operations), 'operations', errors);
  for (const [i, operation] of operations.entries()) {
    if (!OperationTypeValues.includes(operation))
      errors.notSupported(path.child('operations').index(i), operation, OperationTypeValues);
  }
  const groups = rule.apiGroups ?? [];
  validateList(groups, path.child('apiGroups'), goStringSlice(groups), 'API groups', errors);
  const versions = rule.apiVersions ?? [];
  validateList(versions, path.child('apiVersions'), goStringSlice(versions), 'API versions', errors);
  for (const [i, version] of versions.entries())
    if (version === '') errors.required(path.child('apiVersions').index(i));
  validateResources(rule.resources ?? [], path.child('resources'), errors);
  if (rule.scope !== undefined && !ScopeTypeValues.includes(rule.scope))
    errors.notSupported(path.child('scope'), rule.scope, ScopeTypeValues);
}

/** At least one item, and nothing beside a wildcard. `words` name the items. */
function validateList(
  items: readonly string[],
  path: FieldPath,
  printed: unknown,
  words: string,
  errors: FieldErrors,
): void {
  if (items.length === 0) errors.required(path);
  if (items.length > 1 && items.includes('*'))
    errors.invalid(path, printed, `if '*' is present, must not specify other ${words}`);
}

// `pods`, `pods/status`, `pods/*`, `*/scale`, `*`, `*/*`: none that another one in the list covers.
function validateResources(resources: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (resources.length === 0) errors.required(path);
  // `x` of `x/*`, and `y` of `*/y`.
  const wholeResources = new Set<string>();
  const everywhere = new Set<string>();
  let plain = false;
  for (const [i, text] of resources.entries()) {
    if (text === '') {
      errors.required(path.index(i));
      continue;
    }
    const slash = text.indexOf('/');
    if (slash < 0) {
      plain = text !== '*';
      continue;
    }
    const resource = text.slice(0, slash);
    const subresource = text.slice(slash + 1);
    if (wholeResources.has(resource))
      errors.invalid(path.index(i), text, `if '${resource}/*' is present, must not specify ${text}`);
    if (everywhere.has(subresource))
      errors.invalid(path.index(i), text, `if '*/${subresource}' is present, must not specify ${text}`);
    if (subresource === '*') wholeResources.add(resource);
    if (resource === '*') everywhere.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.invalid(path, goStringSlice(resources), "if '*/*' is present, must not specify other resources");
  }
  if (resources.includes('*') && plain) {
    errors.invalid(
      path,
      goStringSlice(resources),
      "if '*' is present, must not specify other resources without subresources",
    );
  }
}
