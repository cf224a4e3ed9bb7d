import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import type { ContainerPort, PodSpec } from '../../../generated/types/core-v1.ts';
import type { Warn } from '../../validation/ip-warnings.ts';
import { eachContainer } from './each-container.ts';

/**
 * Limit of warnings about pairs of ports: an answer has room for fewer, and many equal ports make more pairs than there
 * is time for.
 */
const PAIRS_MAX = 100;

interface Taken {
  readonly order: number;
  readonly path: FieldPath;
  readonly hostIP: string;
  readonly hostPort: number;
}

/** Ports of one number and protocol, by the fields that can conflict with another one. */
class SamePort {
  readonly all: Taken[] = [];
  private readonly groups = new Map<string, Taken[]>();

  add(port: Taken): void {
    this.all.push(port);
    for (const name of [`${port.hostPort}`, `${port.hostPort}/${port.hostIP}`]) {
      const group = this.groups.get(name);
      if (group === undefined) this.groups.set(name, [port]);
      else group.push(port);
    }
  }

  /** Those that overlap with the port, the first `max` of each sort, in their order: no others are compared. */
  overlapping({ hostIP, hostPort }: Taken, max: number): Taken[] {
    if (hostPort === 0) return this.all.slice(0, max);
    const names = hostIP === '' ? ['0', `${hostPort}`] : ['0', `${hostPort}/`, `${hostPort}/${hostIP}`];
    return names
      .flatMap((name) => this.groups.get(name)?.slice(0, max) ?? [])
      .sort((a, b) => a.order - b.order)
      .slice(0, max);
  }
}

/** Ports that several containers listen on, or one that is bound on no host port. */
export function warnOfPorts(spec: PodSpec, path: FieldPath, warn: Warn): void {
  const known = new Map<string, SamePort>();
  let order = 0;
  let pairs = 0;
  for (const [{ ports = [] }, at] of eachContainer(spec, path)) {
    for (const [i, port] of ports.entries()) {
      const taken: Taken = {
        order: order++,
        path: at.child('ports').index(i),
        hostIP: port.hostIP ?? '',
        hostPort: port.hostPort ?? 0,
      };
      if (taken.hostIP !== '' && taken.hostPort === 0)
        warn(taken.path, `hostIP set without hostPort: ${shownPort(port)}`);
      if (pairs >= PAIRS_MAX) continue;
      const key = `${port.containerPort}/${port.protocol ?? ''}`;
      let same = known.get(key);
      if (same === undefined) known.set(key, (same = new SamePort()));
      for (const other of same.overlapping(taken, PAIRS_MAX - pairs)) {
        pairs++;
        warn(taken.path, `${overlapText(taken, other)} port definition with ${other.path.toString()}`);
      }
      same.add(taken);
    }
  }
}

function overlapText(port: Taken, other: Taken): string {
  if (port.hostPort !== other.hostPort) return 'overlapping';
  if (port.hostIP === other.hostIP) return 'duplicate';
  // Without a host port its addresses mean nothing; with one, it is undefined which of the two gets the traffic.
  return port.hostPort === 0 ? 'overlapping' : 'dangerously ambiguous';
}

function shownPort({ name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' }: ContainerPort): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}

/** Services and probes find a port by its name, and take the first. */
export function warnOfPortNames(spec: PodSpec, path: FieldPath, warn: Warn): void {
  const known = new Map<string, FieldPath>();
  for (const [{ ports = [] }, at] of eachContainer(spec, path)) {
    for (const [i, { name = '' }] of ports.entries()) {
      const portPath = at.child('ports').index(i);
      const first = known.get(name);
      if (name === '') continue;
      if (first === undefined) known.set(name, portPath);
      else
        warn(
          portPath,
          `duplicate port name ${goQuote(name)} with ${first.toString()}, services and probes that select ports by name will use ${first.toString()}`,
        );
    }
  }
}
