import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isValidIp, isValidPortNum, nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { EndpointAddress, EndpointPort, Endpoints } from '../../../generated/types/core-v1.ts';
import { validateNonSpecialIp } from '../../validation/ip-addresses.ts';
import { reportProblems, validateDns1123Label, validateQualifiedName } from '../../validation/names.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function validateEndpoints({ subsets = [] }: Endpoints, errors: FieldErrors): void {
  for (const [i, { addresses = [], notReadyAddresses = [], ports = [] }] of subsets.entries()) {
    const path = field('subsets').index(i);
    if (addresses.length === 0 && notReadyAddresses.length === 0)
      errors.required(path, 'must specify `addresses` or `notReadyAddresses`');
    for (const [j, address] of addresses.entries()) validateAddress(address, path.child('addresses').index(j), errors);
    for (const [j, address] of notReadyAddresses.entries())
      validateAddress(address, path.child('notReadyAddresses').index(j), errors);
    for (const [j, port] of ports.entries()) validatePort(port, ports.length > 1, path.child('ports').index(j), errors);
  }
}

function validateAddress({ ip, hostname, nodeName }: EndpointAddress, path: FieldPath, errors: FieldErrors): void {
  reportProblems(isValidIp(ip), ip, path.child('ip'), errors);
  if (hostname) validateDns1123Label(hostname, path.child('hostname'), errors);
  if (nodeName !== undefined)
    reportProblems(nameIsDns1123Subdomain(nodeName, false), nodeName, path.child('nodeName'), errors);
  validateNonSpecialIp(ip, path.child('ip'), errors);
}

function validatePort(
  { name, port, protocol, appProtocol }: EndpointPort,
  nameRequired: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name) validateDns1123Label(name, path.child('name'), errors);
  else if (nameRequired) errors.required(path.child('name'));
  reportProblems(isValidPortNum(port), port, path.child('port'), errors);
  if (!protocol) errors.required(path.child('protocol'));
  else if (!PROTOCOLS.includes(protocol)) errors.notSupported(path.child('protocol'), protocol, PROTOCOLS);
  if (appProtocol !== undefined) validateQualifiedName(appProtocol, path.child('appProtocol'), errors);
}
