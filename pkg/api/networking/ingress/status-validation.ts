import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { isDns1123Subdomain, isValidIp } from '../../../apimachinery/names/names.ts';
import type { Ingress } from '../../../generated/types/networking-v1.ts';

export function validateIngressStatus(ingress: Ingress, errors: FieldErrors): void {
  const path = field('status', 'loadBalancer', 'ingress');
  for (const [i, { ip, hostname }] of (ingress.status.loadBalancer.ingress ?? []).entries()) {
    if (ip && isValidIp(ip).length > 0) errors.invalid(path.index(i).child('ip'), ip, 'must be a valid IP address');
    if (!hostname) continue;
    const hostPath = path.index(i).child('hostname');
    for (const problem of isDns1123Subdomain(hostname)) errors.invalid(hostPath, hostname, problem);
    if (isValidIp(hostname).length === 0) errors.invalid(hostPath, hostname, 'must be a DNS name, not an IP address');
  }
}
