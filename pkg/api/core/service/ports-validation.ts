import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStruct, type GoText } from '../../../apimachinery/values/go-format.ts';
import { isValidPortName, isValidPortNum } from '../../../apimachinery/names/names.ts';
import type { ServicePort, ServiceSpec } from '../../../generated/types/core-v1.ts';
import { reportProblems, validateDns1123Label, validateQualifiedName } from '../../validation/names.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function validatePorts(ports: readonly ServicePort[], path: FieldPath, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) validatePort(port, ports.length > 1, names, path.index(i), errors);
}

function validatePort(
  port: ServicePort,
  nameRequired: boolean,
  names: Set<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { name = '', protocol, targetPort, appProtocol } = port;
  if (name !== '') {
    validateDns1123Label(name, path.child('name'), errors);
    if (names.has(name)) errors.duplicate(path.child('name'), name);
    names.add(name);
  } else if (nameRequired) {
    errors.required(path.child('name'));
  }
  reportProblems(isValidPortNum(port.port), port.port, path.child('port'), errors);
  if (!protocol) errors.required(path.child('protocol'));
  else if (!PROTOCOLS.includes(protocol)) errors.notSupported(path.child('protocol'), protocol, PROTOCOLS);
  const problems = typeof targetPort === 'number' ? isValidPortNum(targetPort) : isValidPortName(targetPort);
  reportProblems(problems, targetPort, path.child('targetPort'), errors);
  if (appProtocol !== undefined) validateQualifiedName(appProtocol, path.child('appProtocol'), errors);
}

/** No port twice in one protocol, neither of the service nor of the nodes. */
export function validatePortUniqueness({ type, ports = [] }: ServiceSpec, path: FieldPath, errors: FieldErrors): void {
  if (type === 'ClusterIP') {
    for (const [i, { nodePort }] of ports.entries()) {
      if (nodePort) errors.forbidden(path.index(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'");
    }
  }
  const seenNodePorts = new Set<string>();
  for (const [i, { protocol, nodePort }] of ports.entries()) {
    if (!nodePort) continue;
    const id = `${protocol} ${nodePort}`;
    if (seenNodePorts.has(id)) errors.duplicate(path.index(i).child('nodePort'), nodePort);
    seenNodePorts.add(id);
  }
  const seenPorts = new Set<string>();
  for (const [i, { protocol, port }] of ports.entries()) {
    const id = `${protocol} ${port}`;
    if (seenPorts.has(id)) errors.duplicate(path.index(i), goPortKey(protocol ?? '', port));
    seenPorts.add(id);
  }
}

function goPortKey(protocol: string, port: number): GoText {
  return goStruct({ Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 });
}
