import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { PriorityClass } from '../../../generated/types/scheduling-v1.ts';

const SYSTEM_PREFIX = 'system-';
const USER_VALUE_MAX = 1_000_000_000;
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];

/** The classes that the cluster itself has; no others may have such names. */
const SYSTEM_VALUES: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);

/** The cluster's own classes stay. */
export function refuseSystemClassDelete(name: string): string | undefined {
  return SYSTEM_VALUES.has(name) ? 'this is a system priority class and cannot be deleted' : undefined;
}

export function validatePriorityClass(object: PriorityClass, errors: FieldErrors): void {
  const name = object.metadata.name ?? '';
  if (name.startsWith(SYSTEM_PREFIX)) {
    const problem = systemClassProblem(name, object);
    if (problem !== undefined) {
      errors.forbidden(
        field('metadata', 'name'),
        `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${problem}`,
      );
    }
  } else if (object.value > USER_VALUE_MAX) {
    errors.forbidden(field('value'), `maximum allowed value of a user defined priority is ${USER_VALUE_MAX}`);
  }
  if (object.preemptionPolicy === '') errors.required(field('preemptionPolicy'));
  else if (object.preemptionPolicy !== undefined && !PREEMPTION_POLICIES.includes(object.preemptionPolicy)) {
    errors.notSupported(field('preemptionPolicy'), object.preemptionPolicy, PREEMPTION_POLICIES);
  }
}

export function validatePriorityClassUpdate(object: PriorityClass, old: PriorityClass, errors: FieldErrors): void {
  if (object.value !== old.value) errors.forbidden(field('value'), 'may not be changed in an update.');
  validateImmutableField(object.preemptionPolicy, old.preemptionPolicy, field('preemptionPolicy'), errors);
}

function systemClassProblem(name: string, { value, globalDefault }: PriorityClass): string | undefined {
  const expected = SYSTEM_VALUES.get(name);
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
