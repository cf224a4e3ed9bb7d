import type { NetworkPolicy } from '../../../generated/types/networking-v1.ts';

/** Ports are TCP ports, and a policy applies to ingress, and to egress when it has egress rules. */
export function setNetworkPolicyDefaults({ spec }: NetworkPolicy): void {
  for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
    for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
  }
  if ((spec.policyTypes ?? []).length > 0) return;
  spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}
