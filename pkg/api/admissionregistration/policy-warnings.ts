/** Tells whoever writes a policy or binds one that it holds nobody back. */
export function policyWarnings(): string[] {
  return ['admission policies are not enforced yet: the object is stored, but its expressions are not evaluated'];
}

export function policyBindingWarnings(): string[] {
  return ['admission policies are not enforced yet: the object is stored, but the policy that it binds is not evaluated'];
}
