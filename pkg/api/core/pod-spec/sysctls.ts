import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { Sysctl } from '../../../generated/types/core-v1.ts';

const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const PATTERN = `^(${SEGMENT}[\\./])*${SEGMENT}$`;
const NAME = new RegExp(PATTERN);
const NAME_LENGTH_MAX = 253;

/** Kernel parameters of a pod. The node decides whether a pod may set them. */
export function validateSysctls(sysctls: readonly Sysctl[], path: FieldPath, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [i, { name }] of sysctls.entries()) {
    const at = path.index(i).child('name');
    if (name === '') errors.required(at);
    else if (name.length > NAME_LENGTH_MAX || !NAME.test(name))
      errors.invalid(at, name, `must have at most ${NAME_LENGTH_MAX} characters and match regex ${PATTERN}`);
    else if (names.has(name)) errors.duplicate(at, name);
    names.add(name);
  }
}
