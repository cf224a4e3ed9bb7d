/** Warns on writes of policies and bindings: they are stored and not enforced. */
export function policyWarnings(): string[] {
  return ['admission policies are not enforced yet: the object is stored, but its expressions are not evaluated'];
}

export function policyBindingWarnings(): string[] {
  return [
    'admission policies are not enforced yet: the object is stored, but the policy that it binds is not evaluated',
  ];
}
