import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { PodSecurityPolicySpec } from '../../generated/types/policy-v1beta1.ts';

/** Kernel parameters that stay within the pod. */
const SAFE = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
]);

export function checkSysctls(
  { forbiddenSysctls = [], allowedUnsafeSysctls = [] }: PodSecurityPolicySpec,
  { spec }: Pod,
  errors: FieldErrors,
): void {
  for (const [i, { name }] of (spec.securityContext?.sysctls ?? []).entries()) {
    const path = field('pod', 'spec', 'securityContext', 'sysctls').index(i);
    if (isListed(name, forbiddenSysctls)) errors.forbidden(path, `sysctl ${goQuote(name)} is not allowed`);
    else if (!SAFE.has(name) && !isListed(name, allowedUnsafeSysctls))
      errors.forbidden(path, `unsafe sysctl ${goQuote(name)} is not allowed`);
  }
}

function isListed(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
}
