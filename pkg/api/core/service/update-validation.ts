import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goStringSlice, type GoText } from '../../../apimachinery/values/go-format.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { Service, ServiceSpec } from '../../../generated/types/core-v1.ts';
import { isHeadless, needsHealthCheckNodePort } from './allocation-rules.ts';
import { validateLoadBalancerClass, validateService } from './validation.ts';

/**
 * The allowed changes of addresses: add or release the second one, nothing else, except from or to an external name.
 */

const KEPT = 'may not change once set';

const policyPath = field('spec', 'ipFamilyPolicy');

export function validateServiceUpdate(service: Service, old: Service, errors: FieldErrors): void {
  if (service.spec.type !== 'ExternalName' && old.spec.type !== 'ExternalName') {
    validateClusterIpsChange(service, old, errors);
    validateFamiliesChange(service, old, errors);
  }
  validateLoadBalancerClassChange(service.spec, old.spec, errors);
  if (
    needsHealthCheckNodePort(service) &&
    needsHealthCheckNodePort(old) &&
    service.spec.healthCheckNodePort !== old.spec.healthCheckNodePort
  ) {
    errors.forbidden(field('spec', 'healthCheckNodePort'), FIELD_IMMUTABLE);
  }
  validateService(service, errors);
}

function shownIps(spec: ServiceSpec): GoText {
  return goStringSlice(spec.clusterIPs);
}

function shownFamilies(spec: ServiceSpec): GoText {
  return goStringSlice(spec.ipFamilies);
}

function validateClusterIpsChange(service: Service, old: Service, errors: FieldErrors): void {
  if (isHeadless(service) && isHeadless(old)) return;
  const { spec } = service;
  const ips = spec.clusterIPs ?? [];
  const before = old.spec.clusterIPs ?? [];
  const path = field('spec', 'clusterIPs');
  if (ips.length === before.length) {
    for (const [i, ip] of before.entries()) if (ip !== ips[i]) errors.invalid(path.index(i), shownIps(spec), KEPT);
    return;
  }
  if (before.length > 0) {
    if (ips.length === 0) errors.invalid(path.index(0), shownIps(spec), 'primary clusterIP can not be unset');
    else if (ips[0] !== before[0]) errors.invalid(path.index(0), shownIps(spec), KEPT);
  }
  if (before.length > ips.length && ips.length === 1) validateReleasePolicy(spec, 'clusterIP', errors);
}

function validateFamiliesChange(service: Service, old: Service, errors: FieldErrors): void {
  // Headless services have families only to select their endpoints.
  if (isHeadless(service) || isHeadless(old)) return;
  const { spec } = service;
  const families = spec.ipFamilies ?? [];
  const before = old.spec.ipFamilies ?? [];
  const path = field('spec', 'ipFamilies').index(0);
  if (families.length === before.length) {
    for (const [i, family] of before.entries())
      if (family !== families[i]) errors.invalid(path, shownFamilies(spec), KEPT);
    return;
  }
  if (before.length > families.length && !spec.clusterIPs?.length)
    errors.invalid(path, shownFamilies(spec), 'primary ipFamily can not be unset');
  if (before.length > 0 && families.length > 0 && families[0] !== before[0]) errors.invalid(path, shownIps(spec), KEPT);
  if (before.length > families.length && families.length === 1) validateReleasePolicy(spec, 'ipFamily', errors);
}

function validateReleasePolicy(
  { ipFamilyPolicy = null }: { ipFamilyPolicy?: string | null },
  released: string,
  errors: FieldErrors,
): void {
  if (ipFamilyPolicy !== 'SingleStack')
    errors.invalid(policyPath, ipFamilyPolicy, `must be set to 'SingleStack' when releasing the secondary ${released}`);
}

/** The class of a load balancer is chosen together with its type. */
function validateLoadBalancerClassChange(spec: ServiceSpec, old: ServiceSpec, errors: FieldErrors): void {
  if (spec.type === 'LoadBalancer' && old.type === 'LoadBalancer' && spec.loadBalancerClass !== old.loadBalancerClass) {
    errors.invalid(field('spec', 'loadBalancerClass'), spec.loadBalancerClass ?? null, KEPT);
  }
  validateLoadBalancerClass(spec, errors);
}
