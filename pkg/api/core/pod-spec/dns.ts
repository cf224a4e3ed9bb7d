import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isDns1123Subdomain, isValidIp } from '../../../apimachinery/names/names.ts';
import { goStringSlice } from '../../../apimachinery/values/go-format.ts';
import type { HostAlias, PodDNSConfig } from '../../../generated/types/core-v1.ts';
import { reportProblems, validateDns1123Subdomain } from '../../validation/names.ts';

/** DNS settings of a pod's containers. Limits are those of the C library's resolver. */

const POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const NAME_SERVERS_MAX = 3;
const SEARCH_PATHS_MAX = 32;
const SEARCH_LIST_CHARS_MAX = 2048;

export function validateDnsPolicy(policy: string, path: FieldPath, errors: FieldErrors): void {
  if (policy === '') errors.required(path);
  else if (!POLICIES.includes(policy)) errors.notSupported(path, policy, POLICIES);
}

export function validateDnsConfig(
  config: PodDNSConfig | undefined,
  policy: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (policy === 'None') {
    if (config === undefined) return errors.required(path, 'must provide `dnsConfig` when `dnsPolicy` is None');
    if (!config.nameservers?.length) {
      return errors.required(
        path.child('nameservers'),
        'must provide at least one DNS nameserver when `dnsPolicy` is None',
      );
    }
  }
  if (config === undefined) return;
  const { nameservers = [], searches = [], options = [] } = config;
  const serversPath = path.child('nameservers');
  if (nameservers.length > NAME_SERVERS_MAX) {
    errors.invalid(serversPath, goStringSlice(nameservers), `must not have more than ${NAME_SERVERS_MAX} nameservers`);
  }
  for (const [i, server] of nameservers.entries()) {
    if (isValidIp(server).length > 0) errors.invalid(serversPath.index(i), server, 'must be valid IP address');
  }
  validateSearches(searches, path.child('searches'), errors);
  for (const [i, option] of options.entries())
    if (!option.name) errors.required(path.child('options').index(i), 'must not be empty');
}

function validateSearches(searches: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (searches.length > SEARCH_PATHS_MAX)
    errors.invalid(path, goStringSlice(searches), `must not have more than ${SEARCH_PATHS_MAX} search paths`);
  if (Buffer.byteLength(searches.join(' ')) > SEARCH_LIST_CHARS_MAX) {
    errors.invalid(
      path,
      goStringSlice(searches),
      `must not have more than ${SEARCH_LIST_CHARS_MAX} characters (including spaces) in the search list`,
    );
  }
  for (const [i, search] of searches.entries()) {
    const name = search.endsWith('.') ? search.slice(0, -1) : search;
    reportProblems(isDns1123Subdomain(name), name, path.index(i), errors);
  }
}

/** Lines for the containers' hosts file. Errors name the list and not its item, as Kubernetes does. */
export function validateHostAliases(aliases: readonly HostAlias[], path: FieldPath, errors: FieldErrors): void {
  for (const { ip, hostnames = [] } of aliases) {
    if (isValidIp(ip).length > 0) errors.invalid(path.child('ip'), ip, 'must be valid IP address');
    for (const hostname of hostnames) validateDns1123Subdomain(hostname, path.child('hostnames'), errors);
  }
}
