import { needsHealthCheckNodePort, needsNodePorts } from '../../api/core/service/allocation-rules.ts';
import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { internalError, invalid } from '../../apimachinery/errors/status-error.ts';
import type { Service } from '../../generated/types/core-v1.ts';
import type { AllocationTransaction } from './allocation-transaction.ts';
import { AllocationError } from './allocator.ts';
import type { ServiceAllocators } from './service-allocators.ts';

type Transaction = AllocationTransaction;

/** Takes the node ports of a new service, and that of its health check. Throws 422 or 500. */
export async function takeNodePorts(
  service: Service,
  { nodePorts }: ServiceAllocators,
  transaction: Transaction,
): Promise<void> {
  if (hasNodePorts(service)) {
    // The protocols of one port share a node port.
    const byPort = new Map<number, number>();
    const askedFor = new Map<number, number>();
    for (const { port, nodePort } of service.spec.ports ?? [])
      if (nodePort && !askedFor.has(port)) askedFor.set(port, nodePort);
    for (const [i, port] of (service.spec.ports ?? []).entries()) {
      if (!port.nodePort && !needsNodePorts(service)) continue;
      const shared = byPort.get(port.port);
      if (shared === undefined) {
        port.nodePort = await takeOne(service, i, askedFor.get(port.port), nodePorts, transaction);
        byPort.set(port.port, port.nodePort);
      } else if (!port.nodePort) port.nodePort = shared;
      else if (port.nodePort !== shared) await takeOne(service, i, port.nodePort, nodePorts, transaction);
    }
  }
  if (needsHealthCheckNodePort(service)) await takeHealthCheckPort(service, nodePorts, transaction);
}

/** Takes what a change adds and releases what it removes. */
export async function changeNodePorts(
  service: Service,
  old: Service,
  { nodePorts }: ServiceAllocators,
  transaction: Transaction,
): Promise<void> {
  const before = portsOf(old);
  if (hasNodePorts(service)) await takeAdded(service, before, nodePorts, transaction);
  if (hasNodePorts(old)) {
    const after = hasNodePorts(service) ? portsOf(service) : new Set<number>();
    for (const port of before) if (!after.has(port)) transaction.drop(nodePorts, port);
  }
  const needed = needsHealthCheckNodePort(old);
  const needs = needsHealthCheckNodePort(service);
  if (!needed && needs) await takeHealthCheckPort(service, nodePorts, transaction);
  if (needed && !needs && old.spec.healthCheckNodePort) transaction.drop(nodePorts, old.spec.healthCheckNodePort);
}

/** Every node port that a service holds. */
export function heldNodePorts(service: Service): number[] {
  const held = portsOf(service);
  if (service.spec.healthCheckNodePort) held.add(service.spec.healthCheckNodePort);
  return [...held];
}

async function takeAdded(
  service: Service,
  before: ReadonlySet<number>,
  nodePorts: ServiceAllocators['nodePorts'],
  transaction: Transaction,
): Promise<void> {
  const added = new Set<number>();
  for (const [i, port] of (service.spec.ports ?? []).entries()) {
    if (!port.nodePort) {
      if (needsNodePorts(service)) port.nodePort = await takeOne(service, i, undefined, nodePorts, transaction);
    } else if (!before.has(port.nodePort) && !added.has(port.nodePort)) {
      added.add(await takeOne(service, i, port.nodePort, nodePorts, transaction));
    }
  }
}

async function takeOne(
  service: Service,
  index: number,
  asked: number | undefined,
  nodePorts: ServiceAllocators['nodePorts'],
  transaction: Transaction,
): Promise<number> {
  try {
    if (asked === undefined) return await transaction.takeNext(nodePorts);
    await transaction.take(nodePorts, asked);
    return asked;
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    if (asked === undefined) throw internalError(`failed to allocate a nodePort: ${error.message}`);
    const errors = new FieldErrors();
    errors.invalid(field('spec', 'ports').index(index).child('nodePort'), asked, error.message);
    throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', errors);
  }
}

async function takeHealthCheckPort(
  { spec }: Service,
  nodePorts: ServiceAllocators['nodePorts'],
  transaction: Transaction,
): Promise<void> {
  const asked = spec.healthCheckNodePort ?? 0;
  try {
    if (asked === 0) spec.healthCheckNodePort = await transaction.takeNext(nodePorts);
    else await transaction.take(nodePorts, asked);
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    throw internalError(
      asked === 0
        ? `failed to allocate a HealthCheck NodePort 0: ${error.message}`
        : `failed to allocate requested HealthCheck NodePort ${asked}: ${error.message}`,
    );
  }
}

/** Types whose node ports count, requested or allocated. */
function hasNodePorts({ spec }: Service): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

function portsOf({ spec }: Service): Set<number> {
  return new Set((spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])));
}
