import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';

import type { IDRange } from '../../generated/types/policy-v1beta1.ts';

/** The ids that a policy allows: `MustRunAs` one of the ranges, `MayRunAs` one of them or none, anything else any. */
export interface IdRule {
  readonly rule?: string;
  readonly ranges?: readonly IDRange[];
}

/** The id of a pod that names none. */
export function defaultId({ rule, ranges = [] }: IdRule): number | undefined {
  return rule === 'MustRunAs' ? ranges[0]?.min : undefined;
}

export function isInRanges(id: number, ranges: readonly IDRange[]): boolean {
  return ranges.some(({ min, max }) => id >= min && id <= max);
}

/** `[{1 100} {200 200}]`. */
export function rangesText(ranges: readonly IDRange[]): string {
  return `[${ranges.map(({ min, max }) => `{${min} ${max}}`).join(' ')}]`;
}

export function checkGroups(
  { rule, ranges = [] }: IdRule,
  groups: readonly number[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (rule !== 'MustRunAs' && rule !== 'MayRunAs') return;
  const given = groups ?? [];
  const shown = given.length === 0 ? null : given;
  if (rule === 'MustRunAs' && given.length === 0)
    errors.invalid(path, shown, 'unable to validate empty groups against required ranges');
  const allowed = rangesText(ranges);
  for (const group of given)
    if (!isInRanges(group, ranges)) errors.invalid(path, shown, `group ${group} must be in the ranges: ${allowed}`);
}
