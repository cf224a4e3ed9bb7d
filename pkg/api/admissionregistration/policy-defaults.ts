import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../generated/types/admissionregistration-v1.ts';

/** All versions: a policy that fails refuses the request, and applies to equivalent requests as well. */
export function setPolicyDefaults({ spec }: ValidatingAdmissionPolicy | MutatingAdmissionPolicy): void {
  spec.failurePolicy ??= 'Fail';
  setMatchDefaults(spec.matchConstraints);
}

export function setPolicyBindingDefaults({
  spec,
}: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding): void {
  setMatchDefaults(spec.matchResources);
}

/** The alpha version refuses requests whose parameters are missing by default. */
export function setAlphaPolicyBindingDefaults(
  binding: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding,
): void {
  setPolicyBindingDefaults(binding);
  if (binding.spec.paramRef !== undefined) binding.spec.paramRef.parameterNotFoundAction ??= 'Deny';
}

function setMatchDefaults(match: MatchResources | undefined): void {
  if (match === undefined) return;
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= '*';
}
