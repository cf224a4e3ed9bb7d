import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { isDns1123Subdomain, isValidIp } from '../../../apimachinery/names/names.ts';
import type { Service } from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';

const IP_MODES = ['Proxy', 'VIP'];

/** The addresses and names of the load balancer, as its controller reports them. */
export function validateServiceStatus({ spec, status }: Service, _old: Service, errors: FieldErrors): void {
  const entries = status.loadBalancer.ingress ?? [];
  const list = field('status', 'loadBalancer', 'ingress');
  if (entries.length > 0 && spec.type !== 'LoadBalancer')
    return errors.forbidden(list, 'may only be used when `spec.type` is "LoadBalancer"');
  for (const [i, { ip, hostname, ipMode }] of entries.entries()) {
    const path = list.index(i);
    if (ip && isValidIp(ip).length > 0) errors.invalid(path.child('ip'), ip, 'must be a valid IP address');
    if (ipMode !== undefined && !ip)
      errors.forbidden(path.child('ipMode'), 'may not be specified when `ip` is not set');
    else if (ipMode !== undefined && !IP_MODES.includes(ipMode))
      errors.notSupported(path.child('ipMode'), ipMode, IP_MODES);
    if (!hostname) continue;
    reportProblems(isDns1123Subdomain(hostname), hostname, path.child('hostname'), errors);
    if (isValidIp(hostname).length === 0)
      errors.invalid(path.child('hostname'), hostname, 'must be a DNS name, not an IP address');
  }
}
