import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../apimachinery/errors/field-path.ts';
import type { PolicyRule } from '../../generated/types/rbac-v1.ts';

/** Checks the rules of a role; those of a namespace cannot have URLs. */
export function validatePolicyRules(
  rules: readonly PolicyRule[] | null,
  namespaced: boolean,
  errors: FieldErrors,
): void {
  for (const [i, rule] of (rules ?? []).entries())
    validatePolicyRule(rule, namespaced, field('rules').index(i), errors);
}

function validatePolicyRule(rule: PolicyRule, namespaced: boolean, path: FieldPath, errors: FieldErrors): void {
  if (!rule.verbs?.length) errors.required(path.child('verbs'), 'verbs must contain at least one value');
  if (rule.nonResourceURLs?.length) {
    const urlsPath = path.child('nonResourceURLs');
    if (namespaced)
      errors.invalid(urlsPath, rule.nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs');
    if (rule.apiGroups?.length || rule.resources?.length || rule.resourceNames?.length) {
      errors.invalid(
        urlsPath,
        rule.nonResourceURLs,
        'rules cannot apply to both regular resources and non-resource URLs',
      );
    }
    return;
  }
  if (!rule.apiGroups?.length)
    errors.required(path.child('apiGroups'), 'resource rules must supply at least one api group');
  if (!rule.resources?.length)
    errors.required(path.child('resources'), 'resource rules must supply at least one resource');
}
