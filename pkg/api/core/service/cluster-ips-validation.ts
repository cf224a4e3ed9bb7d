import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { parseIp } from '../../../apimachinery/names/ip.ts';
import { isValidIp } from '../../../apimachinery/names/names.ts';
import type { Service, ServiceSpec } from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

const ipsPath = field('spec', 'clusterIPs');

/** The addresses of a service with its families: each may be absent, but those that are there fit together. */
export function validateClusterIps({ spec }: Service, errors: FieldErrors): void {
  if (spec.type === 'ExternalName') return;
  const { clusterIP = '', clusterIPs: ips = [] } = spec;
  if (clusterIP !== '') {
    if (ips.length === 0) errors.required(ipsPath);
    else if (ips[0] !== clusterIP) errors.invalid(ipsPath, ips, 'first value must match `clusterIP`');
  } else if (ips.length > 0) {
    errors.invalid(ipsPath, ips, 'must be empty when `clusterIP` is not specified');
  }
  validateFamilies(spec, errors);
  const wellFormed = validateAddresses(ips, errors);
  if (ips.length > 2) errors.invalid(ipsPath, ips, 'may only hold up to 2 values');
  if (!wellFormed) return;
  if (ips.length > 1 && !isOneOfEach(ips))
    errors.invalid(ipsPath, ips, 'may specify no more than one IP for each IP family');
  validateFamiliesOfAddresses(ips, spec.ipFamilies ?? [], errors);
}

function validateFamilies({ ipFamilies = [], ipFamilyPolicy }: ServiceSpec, errors: FieldErrors): void {
  const path = field('spec', 'ipFamilies');
  const seen = new Set<string>();
  for (const [i, family] of ipFamilies.entries()) {
    if (!FAMILIES.includes(family)) errors.notSupported(path.index(i), family, FAMILIES);
    if (seen.has(family)) errors.duplicate(path.index(i), family);
    seen.add(family);
  }
  if (ipFamilyPolicy !== undefined && !POLICIES.includes(ipFamilyPolicy))
    errors.notSupported(field('spec', 'ipFamilyPolicy'), ipFamilyPolicy, POLICIES);
}

/** Whether all are addresses, or `None` alone. */
function validateAddresses(ips: readonly string[], errors: FieldErrors): boolean {
  let wellFormed = true;
  for (const [i, ip] of ips.entries()) {
    if (i === 0 && ip === 'None') {
      if (ips.length === 1) continue;
      errors.invalid(ipsPath, ips, "'None' must be the first and only value");
      wellFormed = false;
      continue;
    }
    const problems = isValidIp(ip);
    reportProblems(problems, ip, ipsPath.index(i), errors);
    if (problems.length > 0) wellFormed = false;
  }
  return wellFormed;
}

function isIpv6(ip: string): boolean {
  return parseIp(ip)?.length === 16;
}

function isOneOfEach(ips: readonly string[]): boolean {
  return ips.length === 2 && isIpv6(ips[0]!) !== isIpv6(ips[1]!);
}

function validateFamiliesOfAddresses(ips: readonly string[], families: readonly string[], errors: FieldErrors): void {
  if (ips.length === 1 && ips[0] === 'None') return;
  for (const [i, ip] of ips.entries()) {
    const family = families[i];
    if ((family === 'IPv4' && isIpv6(ip)) || (family === 'IPv6' && !isIpv6(ip))) {
      errors.invalid(ipsPath.index(i), ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``);
    }
  }
}
