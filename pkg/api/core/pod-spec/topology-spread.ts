import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { validateLabelSelector } from '../../../apimachinery/selectors/label-selector.ts';
import type { TopologySpreadConstraint } from '../../../generated/types/core-v1.ts';
import { validateLabelKeys } from './label-keys.ts';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const INCLUSION_POLICIES = ['Honor', 'Ignore'];
const NOT_POSITIVE = 'must be greater than zero';

/** How evenly the pods of a group are spread over zones, nodes or other domains. */
export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const remaining = new Map<string, number>();
  for (const constraint of constraints)
    remaining.set(identity(constraint), (remaining.get(identity(constraint)) ?? 0) + 1);
  for (const [i, constraint] of constraints.entries()) {
    // Each but the last of several equal ones is reported, as Kubernetes looks ahead.
    const left = remaining.get(identity(constraint))! - 1;
    remaining.set(identity(constraint), left);
    validateConstraint(constraint, left > 0, path.index(i), errors);
  }
}

function identity({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string {
  return `{${topologyKey}, ${whenUnsatisfiable}}`;
}

function validateConstraint(
  constraint: TopologySpreadConstraint,
  repeated: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { maxSkew, topologyKey, whenUnsatisfiable, labelSelector, minDomains } = constraint;
  if (maxSkew <= 0) errors.invalid(path.child('maxSkew'), maxSkew, NOT_POSITIVE);
  if (topologyKey === '') errors.required(path.child('topologyKey'), 'can not be empty');
  if (!ACTIONS.includes(whenUnsatisfiable))
    errors.notSupported(path.child('whenUnsatisfiable'), whenUnsatisfiable, ACTIONS);
  if (repeated) errors.duplicate(path.child('{topologyKey, whenUnsatisfiable}'), identity(constraint));
  if (minDomains !== undefined) {
    if (minDomains <= 0) errors.invalid(path.child('minDomains'), minDomains, NOT_POSITIVE);
    if (whenUnsatisfiable !== 'DoNotSchedule') {
      errors.invalid(
        path.child('minDomains'),
        minDomains,
        `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
      );
    }
  }
  for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
    const policy = constraint[name];
    if (policy !== undefined && !INCLUSION_POLICIES.includes(policy))
      errors.notSupported(path.child(name), policy, INCLUSION_POLICIES);
  }
  validateLabelKeys(constraint, path, errors);
  if (labelSelector !== undefined) validateLabelSelector(labelSelector, path.child('labelSelector'), errors);
}
