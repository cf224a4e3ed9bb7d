import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isValidPortName, isValidPortNum } from '../../../apimachinery/names/names.ts';
import type { Container, ContainerPort } from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function validateContainerPorts(ports: readonly ContainerPort[], path: FieldPath, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const at = path.index(i);
    if (port.name) validatePortName(port.name, names, at.child('name'), errors);
    if (port.containerPort === 0) errors.required(at.child('containerPort'));
    else reportProblems(isValidPortNum(port.containerPort), port.containerPort, at.child('containerPort'), errors);
    if (port.hostPort) reportProblems(isValidPortNum(port.hostPort), port.hostPort, at.child('hostPort'), errors);
    const protocol = port.protocol ?? '';
    if (protocol === '') errors.required(at.child('protocol'));
    else if (!PROTOCOLS.includes(protocol)) errors.notSupported(at.child('protocol'), protocol, PROTOCOLS);
  }
}

function validatePortName(name: string, names: Set<string>, path: FieldPath, errors: FieldErrors): void {
  const problems = isValidPortName(name);
  reportProblems(problems, name, path, errors);
  if (problems.length > 0) return;
  if (names.has(name)) errors.duplicate(path, name);
  names.add(name);
}

/** A port of the node can be taken once by containers that run at the same time. */
export function validateHostPortConflicts(
  containers: readonly Container[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const taken = new Set<string>();
  for (const [c, container] of containers.entries()) {
    for (const [p, port] of (container.ports ?? []).entries()) {
      if (!port.hostPort) continue;
      const address = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`;
      if (taken.has(address)) errors.duplicate(path.index(c).child('ports').index(p).child('hostPort'), address);
      taken.add(address);
    }
  }
}
