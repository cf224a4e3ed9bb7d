import { deepEqual } from '../../../apimachinery/json/deep.ts';
import { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { parseIp } from '../../../apimachinery/names/ip.ts';
import type { Service, ServiceSpec } from '../../../generated/types/core-v1.ts';
import { validateClusterIps } from './cluster-ips-validation.ts';

/** Which IP families a service has (KEP 563). */

export type IpFamily = 'IPv4' | 'IPv6';

const policyPath = field('spec', 'ipFamilyPolicy');
const familiesPath = field('spec', 'ipFamilies');

/**
 * Sets `ipFamilyPolicy` and `ipFamilies`, and `clusterIPs` from `clusterIP`, before addresses are allocated: afterwards
 * there is one family for each address that the service needs. Changes `object` in place, never `old`, which is the
 * stored service of an update. `clusterFamilies` are those that the cluster has ranges for, the default one first.
 * Returns the errors of the combination: a service with errors must not be allocated for.
 */
export function defaultIpFamilies(
  object: Service,
  old?: Service,
  clusterFamilies: readonly IpFamily[] = ['IPv4'],
): FieldErrors {
  const { spec } = object;
  const errors = new FieldErrors();
  if (spec.type === 'ExternalName' || keepsPreferredStack(spec, old?.spec)) return errors;
  if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
  const isOpen = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.spec.ipFamilyPolicy ?? (isOpen ? 'RequireDualStack' : 'SingleStack');
  validateClusterIps(object, errors);
  if (errors.length > 0) return errors;
  if (old !== undefined) releaseSecondary(spec, old.spec, errors);
  validateSingleStack(spec, errors);
  inferFamilies(spec, clusterFamilies, errors);
  if (errors.length > 0) return errors;
  // Without selector the endpoints of a headless service are unknown: both families are allowed anywhere.
  if (!isOpen) validateClusterFamilies(spec, clusterFamilies, errors);
  if (errors.length > 0) return errors;
  completeFamilies(spec, clusterFamilies, isOpen || clusterFamilies.length > 1);
  return errors;
}

/**
 * A service that prefers two families is not changed when the cluster gains or loses one, only when the client requests
 * it.
 */
function keepsPreferredStack(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  if (old === undefined || old.type !== spec.type || spec.ipFamilyPolicy !== 'PreferDualStack') return false;
  if (old.ipFamilyPolicy !== undefined && old.ipFamilyPolicy !== 'PreferDualStack') return false;
  return (
    sameOrAbsent(spec.clusterIPs, old.clusterIPs) &&
    sameOrAbsent(spec.ipFamilies, old.ipFamilies) &&
    spec.clusterIP === old.clusterIP
  );
}

function sameOrAbsent(list: readonly string[] | undefined, old: readonly string[] | undefined): boolean {
  return deepEqual(list ?? [], old ?? []);
}

/** Going back to one family: the policy alone is enough. */
function releaseSecondary(spec: ServiceSpec, old: ServiceSpec, errors: FieldErrors): void {
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if ((spec.clusterIPs?.length ?? 0) > 1 && deepEqual(spec.clusterIPs, old.clusterIPs))
      spec.clusterIPs = spec.clusterIPs!.slice(0, 1);
    if ((spec.ipFamilies?.length ?? 0) > 1 && deepEqual(spec.ipFamilies, old.ipFamilies))
      spec.ipFamilies = spec.ipFamilies!.slice(0, 1);
    return;
  }
  if (isReduced(spec.clusterIPs, old.clusterIPs))
    errors.invalid(policyPath, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary cluster IP");
  if (isReduced(spec.ipFamilies, old.ipFamilies))
    errors.invalid(policyPath, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family");
}

/** The first is kept and the second is not. */
function isReduced(list: readonly string[] | undefined, old: readonly string[] | undefined): boolean {
  return list?.length === 1 && old?.length === 2 && list[0] === old[0];
}

function validateSingleStack({ ipFamilyPolicy, clusterIPs, ipFamilies }: ServiceSpec, errors: FieldErrors): void {
  if (ipFamilyPolicy !== 'SingleStack') return;
  const needed = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (clusterIPs?.length === 2) errors.invalid(policyPath, ipFamilyPolicy, `${needed} cluster IPs are specified`);
  if (ipFamilies?.length === 2) errors.invalid(policyPath, ipFamilyPolicy, `${needed} IP families are specified`);
}

/** Given addresses determine their families. */
function inferFamilies(spec: ServiceSpec, clusterFamilies: readonly IpFamily[], errors: FieldErrors): void {
  for (const [i, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === 'None') return;
    if (i < (spec.ipFamilies?.length ?? 0)) continue;
    const family = familyOf(ip);
    if (clusterFamilies.includes(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else
      errors.invalid(
        field('spec', 'clusterIPs').index(i),
        spec.clusterIPs,
        `${family} is not configured on this cluster`,
      );
  }
}

/** Of a valid address. */
function familyOf(ip: string): IpFamily {
  return parseIp(ip)?.length === 16 ? 'IPv6' : 'IPv4';
}

function validateClusterFamilies(
  { ipFamilyPolicy, ipFamilies = [] }: ServiceSpec,
  clusterFamilies: readonly IpFamily[],
  errors: FieldErrors,
): void {
  if (ipFamilyPolicy === 'RequireDualStack' && clusterFamilies.length < 2) {
    errors.invalid(policyPath, ipFamilyPolicy, 'this cluster is not configured for dual-stack services');
  }
  for (const [i, family] of ipFamilies.entries()) {
    if (!clusterFamilies.some((known) => known === family))
      errors.invalid(familiesPath.index(i), family, 'not configured on this cluster');
  }
}

function completeFamilies(spec: ServiceSpec, clusterFamilies: readonly IpFamily[], twoPossible: boolean): void {
  const families = spec.ipFamilies?.length ? [...spec.ipFamilies] : clusterFamilies.slice(0, 1);
  if (twoPossible && families.length === 1 && spec.ipFamilyPolicy !== 'SingleStack')
    families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
  spec.ipFamilies = families;
}
