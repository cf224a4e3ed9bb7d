import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import type { SELinuxOptions } from '../../generated/types/core-v1.ts';
import type { SELinuxStrategyOptions } from '../../generated/types/policy-v1beta1.ts';

/** The label of a pod that names none. */
export function defaultLabel({ rule, seLinuxOptions }: SELinuxStrategyOptions): SELinuxOptions | undefined {
  return rule === 'MustRunAs' ? seLinuxOptions : undefined;
}

export function checkLabel(
  strategy: SELinuxStrategyOptions,
  label: SELinuxOptions | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const required = defaultLabel(strategy);
  if (required === undefined) return;
  if (label === undefined) {
    errors.required(path);
    return;
  }
  if (!isSameLevel(label.level ?? '', required.level ?? ''))
    errors.invalid(path.child('level'), label.level ?? '', `must be ${required.level ?? ''}`);
  for (const part of ['role', 'type', 'user'] as const) {
    if ((label[part] ?? '') !== (required[part] ?? ''))
      errors.invalid(path.child(part), label[part] ?? '', `must be ${required[part] ?? ''}`);
  }
}

/** `s0:c1,c2` is `s0:c2,c1`. */
function isSameLevel(one: string, other: string): boolean {
  const parts = (level: string): string => {
    const [sensitivity = '', categories = ''] = level.split(':', 2);
    return `${sensitivity}:${categories.split(',').sort().join(',')}`;
  };
  return one === other || parts(one) === parts(other);
}
