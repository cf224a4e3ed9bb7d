import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';

/** Lists of kernel parameters, each a name or a prefix with `*`. */

const NAME_LENGTH_MAX = 253;
const PATTERN = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?\\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]';
const FORMAT = new RegExp(`^${PATTERN}$`);
/** Limit of comparisons between two lists; stock servers have none. */
const COMPARISONS_MAX = 1_000_000;

export function validateSysctlPatterns(patterns: readonly string[], path: FieldPath, errors: FieldErrors): void {
  let coversAll = false;
  for (const [i, pattern] of patterns.entries()) {
    if (pattern === '') {
      errors.invalid(path.index(i), pattern, 'empty sysctl not allowed');
    } else if (pattern.length > NAME_LENGTH_MAX || !FORMAT.test(pattern)) {
      errors.invalid(
        path.index(i),
        pattern,
        `must have at most ${NAME_LENGTH_MAX} characters and match regex ${PATTERN}`,
      );
    } else if (pattern.startsWith('*')) {
      coversAll = true;
    }
  }
  if (coversAll && patterns.length > 1)
    errors.forbidden(path.child('items'), "if '*' is present, must not specify other sysctls");
}

/** No parameter is in both lists. */
export function validateSysctlsApart(
  allowed: readonly string[],
  forbidden: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const allowedPath = path.child('allowedUnsafeSysctls');
  const forbiddenPath = path.child('forbiddenSysctls');
  if (allowed.length * forbidden.length > COMPARISONS_MAX) {
    errors.tooMany(allowedPath, allowed.length, Math.floor(Math.sqrt(COMPARISONS_MAX)));
    return;
  }
  for (const [i, one] of allowed.entries()) {
    for (const [j, other] of forbidden.entries()) {
      // The error stands at the narrower of the two.
      if (covers(other, one)) errors.invalid(allowedPath.index(i), one, `sysctl overlaps with ${other}`);
      else if (covers(one, other)) errors.invalid(forbiddenPath.index(j), other, `sysctl overlaps with ${one}`);
    }
  }
}

/** Whether `pattern` matches all that `other` does. */
function covers(pattern: string, other: string): boolean {
  if (!pattern.endsWith('*')) return pattern === other;
  return (other.endsWith('*') ? other.slice(0, -1) : other).startsWith(pattern.slice(0, -1));
}
