import { validateFullyQualifiedDomainName } from '../../../apimachinery/names/domain-names.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isDns1123Subdomain, isValidIpv4, isValidIpv6, isValidLabelValue } from '../../../apimachinery/names/names.ts';
import { validateImmutableField, validateLabels } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../../../generated/types/discovery-v1.ts';
import { validateNonSpecialIp } from '../../validation/ip-addresses.ts';
import { reportProblems, validateDns1123Label, validateQualifiedName } from '../../validation/names.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const ENDPOINTS_MAX = 1000;
const ADDRESSES_MAX = 100;
const TOPOLOGY_LABELS_MAX = 16;
const PORTS_MAX = 20_000;
const HINTS_MAX = 8;

export function validateEndpointSlice(slice: EndpointSlice, errors: FieldErrors): void {
  const { addressType } = slice;
  if (addressType === '') errors.required(field('addressType'));
  else if (!ADDRESS_TYPES.includes(addressType)) errors.notSupported(field('addressType'), addressType, ADDRESS_TYPES);
  const endpoints = slice.endpoints ?? [];
  if (endpoints.length > ENDPOINTS_MAX) errors.tooMany(field('endpoints'), endpoints.length, ENDPOINTS_MAX);
  else
    for (const [i, endpoint] of endpoints.entries())
      validateEndpoint(endpoint, addressType, field('endpoints').index(i), errors);
  validatePorts(slice.ports ?? [], field('ports'), errors);
}

export function validateEndpointSliceUpdate(slice: EndpointSlice, old: EndpointSlice, errors: FieldErrors): void {
  validateEndpointSlice(slice, errors);
  validateImmutableField(slice.addressType, old.addressType, field('addressType'), errors);
}

function validateEndpoint(endpoint: Endpoint, addressType: string, path: FieldPath, errors: FieldErrors): void {
  validateAddresses(endpoint.addresses ?? [], addressType, path.child('addresses'), errors);
  if (endpoint.nodeName !== undefined)
    reportProblems(isDns1123Subdomain(endpoint.nodeName), endpoint.nodeName, path.child('nodeName'), errors);
  const topologyPath = path.child('deprecatedTopology');
  const labels = Object.keys(endpoint.deprecatedTopology ?? {}).length;
  if (labels > TOPOLOGY_LABELS_MAX) errors.tooMany(topologyPath, labels, TOPOLOGY_LABELS_MAX);
  validateLabels(endpoint.deprecatedTopology, topologyPath, errors);
  if (endpoint.hostname !== undefined) validateDns1123Label(endpoint.hostname, path.child('hostname'), errors);
  if (endpoint.hints !== undefined) validateHints(endpoint.hints, path.child('hints'), errors);
}

function validateAddresses(addresses: readonly string[], type: string, path: FieldPath, errors: FieldErrors): void {
  if (addresses.length === 0) errors.required(path, 'must contain at least 1 address');
  // The addresses are still checked: the body's size bounds the work.
  else if (addresses.length > ADDRESSES_MAX) errors.tooMany(path, addresses.length, ADDRESSES_MAX);
  for (const [i, address] of addresses.entries()) {
    switch (type) {
      case 'IPv4':
      case 'IPv6':
        reportProblems(type === 'IPv4' ? isValidIpv4(address) : isValidIpv6(address), address, path.index(i), errors);
        validateNonSpecialIp(address, path.index(i), errors);
        break;
      case 'FQDN':
        validateFullyQualifiedDomainName(path.index(i), address, errors);
        break;
      default:
    }
  }
}

function validateHints(hints: EndpointHints, path: FieldPath, errors: FieldErrors): void {
  validateHintNames(hints.forZones ?? [], path.child('forZones'), isValidLabelValue, errors);
  validateHintNames(hints.forNodes ?? [], path.child('forNodes'), isDns1123Subdomain, errors);
}

function validateHintNames(
  hints: readonly { name: string }[],
  path: FieldPath,
  check: (name: string) => string[],
  errors: FieldErrors,
): void {
  if (hints.length > HINTS_MAX) return errors.tooMany(path, hints.length, HINTS_MAX);
  const seen = new Set<string>();
  for (const [i, { name }] of hints.entries()) {
    if (seen.has(name)) errors.duplicate(path.index(i).child('name'), name);
    seen.add(name);
    reportProblems(check(name), name, path.index(i).child('name'), errors);
  }
}

function validatePorts(ports: readonly EndpointPort[], path: FieldPath, errors: FieldErrors): void {
  if (ports.length > PORTS_MAX) return errors.tooMany(path, ports.length, PORTS_MAX);
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const portPath = path.index(i);
    const name = port.name ?? '';
    if (name !== '') validateDns1123Label(name, portPath.child('name'), errors);
    if (names.has(name)) errors.duplicate(portPath.child('name'), name);
    names.add(name);
    if (port.protocol === undefined) errors.required(portPath.child('protocol'));
    else if (!PROTOCOLS.includes(port.protocol))
      errors.notSupported(portPath.child('protocol'), port.protocol, PROTOCOLS);
    if (port.appProtocol !== undefined) validateQualifiedName(port.appProtocol, portPath.child('appProtocol'), errors);
  }
}
