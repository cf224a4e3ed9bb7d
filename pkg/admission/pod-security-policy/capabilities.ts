import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { goStringSlice } from '../../apimachinery/values/go-format.ts';
import type { Capabilities } from '../../generated/types/core-v1.ts';
import type { PodSecurityPolicySpec } from '../../generated/types/policy-v1beta1.ts';

const ALL = '*';

/** A container's capabilities, with those that the policy adds and removes; unchanged where that is nothing. */
export function withDefaultCapabilities(
  { defaultAddCapabilities = [], requiredDropCapabilities = [] }: PodSecurityPolicySpec,
  asked: Capabilities | undefined,
): Capabilities | undefined {
  const [add, drop] = [new Set(asked?.add), new Set(asked?.drop)];
  const allAdded = union(
    defaultAddCapabilities.filter((capability) => !drop.has(capability)),
    add,
  );
  const allDropped = union(requiredDropCapabilities, drop);
  if (allAdded.length === add.size && allDropped.length === drop.size) return asked;
  return { ...(allAdded.length > 0 ? { add: allAdded } : {}), ...(allDropped.length > 0 ? { drop: allDropped } : {}) };
}

export function checkCapabilities(
  spec: PodSecurityPolicySpec,
  asked: Capabilities | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { defaultAddCapabilities = [], requiredDropCapabilities = [], allowedCapabilities = [] } = spec;
  if (asked === undefined) {
    if (defaultAddCapabilities.length > 0 || requiredDropCapabilities.length > 0)
      errors.invalid(path, null, 'required capabilities are not set on the securityContext');
    return;
  }
  for (const capability of asked.add ?? []) {
    const isAllowed =
      allowedCapabilities.includes(ALL) ||
      allowedCapabilities.includes(capability) ||
      defaultAddCapabilities.includes(capability);
    if (!isAllowed) errors.invalid(path.child('add'), capability, 'capability may not be added');
  }
  for (const capability of requiredDropCapabilities) {
    if (asked.drop?.includes(capability) === true) continue;
    errors.invalid(
      path.child('drop'),
      goStringSlice(asked.drop),
      `${capability} is required to be dropped but was not found`,
    );
  }
}

function union(one: Iterable<string>, other: Iterable<string>): string[] {
  return [...new Set([...one, ...other])].sort();
}
