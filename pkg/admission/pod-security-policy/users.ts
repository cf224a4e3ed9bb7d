import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import type { RunAsUserStrategyOptions } from '../../generated/types/policy-v1beta1.ts';
import { isInRanges, rangesText } from './id-ranges.ts';

/** A container's effective setting: its own, or else the pod's. */
export interface EffectiveUser {
  readonly runAsUser: number | undefined;
  readonly runAsNonRoot: boolean | undefined;
}

/** `path` is that of the security context. */
export function checkUser(
  { rule, ranges = [] }: RunAsUserStrategyOptions,
  { runAsUser, runAsNonRoot }: EffectiveUser,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (rule === 'MustRunAs') {
    if (runAsUser === undefined) errors.required(path.child('runAsUser'));
    else if (!isInRanges(runAsUser, ranges))
      errors.invalid(path.child('runAsUser'), runAsUser, `must be in the ranges: ${rangesText(ranges)}`);
  } else if (rule === 'MustRunAsNonRoot') {
    if (runAsNonRoot === undefined && runAsUser === undefined)
      errors.required(path.child('runAsNonRoot'), 'must be true');
    else if (runAsNonRoot === false) errors.invalid(path.child('runAsNonRoot'), false, 'must be true');
    else if (runAsUser !== undefined && Number(runAsUser) === 0)
      errors.invalid(path.child('runAsUser'), 0, 'running with the root UID is forbidden');
  }
}
