import { type FieldErrors, OMIT_VALUE } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import {
  type JobSpec,
  type PodFailurePolicy,
  type PodFailurePolicyOnExitCodesRequirement,
  type PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyActionValues,
  PodFailurePolicyOnExitCodesOperatorValues,
  type PodFailurePolicyRule,
} from '../../../generated/types/batch-v1.ts';
import { validateQualifiedName } from '../../validation/names.ts';

const RULES_MAX = 20;
const PATTERNS_MAX = 20;
const EXIT_CODES_MAX = 255;
const CONDITION_STATUSES = ['False', 'True', 'Unknown'];

/** Checks a job's policy for failed pods. */
export function validatePodFailurePolicy(
  spec: JobSpec,
  policy: PodFailurePolicy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const rules = policy.rules ?? [];
  const rulesPath = path.child('rules');
  if (rules.length > RULES_MAX) errors.tooMany(rulesPath, rules.length, RULES_MAX);
  const { containers, initContainers } = spec.template.spec;
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map((container) => container.name));
  for (const [i, rule] of rules.entries()) validateRule(spec, rule, names, rulesPath.index(i), errors);
}

function validateRule(
  spec: JobSpec,
  rule: PodFailurePolicyRule,
  names: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const patterns = rule.onPodConditions ?? [];
  validateChoice(rule.action, PodFailurePolicyActionValues, path.child('action'), errors);
  if (rule.action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) {
    errors.invalid(path.child('action'), rule.action, 'requires the backoffLimitPerIndex to be set');
  }
  if (rule.onExitCodes !== undefined) validateExitCodes(rule.onExitCodes, names, path.child('onExitCodes'), errors);
  if (patterns.length > 0) validatePatterns(patterns, path.child('onPodConditions'), errors);
  if (rule.onExitCodes !== undefined && patterns.length > 0) {
    errors.invalid(path, OMIT_VALUE, 'specifying both OnExitCodes and OnPodConditions is not supported');
  }
  if (rule.onExitCodes === undefined && patterns.length === 0) {
    errors.invalid(path, OMIT_VALUE, 'specifying one of OnExitCodes and OnPodConditions is required');
  }
}

function validateChoice(value: string, choices: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (value === '') errors.required(path, `valid values: [${choices.map(goQuote).join(' ')}]`);
  else if (!choices.includes(value)) errors.notSupported(path, value, choices);
}

function validatePatterns(
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (patterns.length > PATTERNS_MAX) errors.tooMany(path, patterns.length, PATTERNS_MAX);
  for (const [i, pattern] of patterns.entries()) {
    const patternPath = path.index(i);
    validateQualifiedName(pattern.type, patternPath.child('type'), errors);
    validateChoice(pattern.status, CONDITION_STATUSES, patternPath.child('status'), errors);
  }
}

function validateExitCodes(
  requirement: PodFailurePolicyOnExitCodesRequirement,
  names: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { operator, containerName } = requirement;
  const values = requirement.values ?? [];
  const valuesPath = path.child('values');
  validateChoice(operator, PodFailurePolicyOnExitCodesOperatorValues, path.child('operator'), errors);
  if (containerName !== undefined && !names.has(containerName)) {
    errors.invalid(
      path.child('containerName'),
      containerName,
      'must be one of the container or initContainer names in the pod template',
    );
  }
  if (values.length === 0) errors.invalid(valuesPath, requirement.values, 'at least one value is required');
  else if (values.length > EXIT_CODES_MAX) errors.tooMany(valuesPath, values.length, EXIT_CODES_MAX);
  const seen = new Set<number>();
  let ordered = true;
  for (const [i, value] of values.entries()) {
    const valuePath = valuesPath.index(i);
    if (operator === 'In' && value === 0) errors.invalid(valuePath, value, 'must not be 0 for the In operator');
    if (seen.has(value)) errors.duplicate(valuePath, value);
    seen.add(value);
    if (i > 0 && values[i - 1]! > value) ordered = false;
  }
  if (!ordered) errors.invalid(valuesPath, values, 'must be ordered');
}
