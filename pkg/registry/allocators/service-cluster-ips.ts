import { isHeadless, needsClusterIp, type IpFamily } from '../../api/core/service/allocation-rules.ts';
import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { internalError, invalid } from '../../apimachinery/errors/status-error.ts';
import type { Service } from '../../generated/types/core-v1.ts';
import type { AllocationTransaction } from './allocation-transaction.ts';
import { AllocationError } from './allocator.ts';
import type { ServiceAllocators } from './service-allocators.ts';

type Transaction = AllocationTransaction;

/**
 * Takes an address for each family of a service with addresses, requested ones first. Throws
 * 422 or 500.
 */
export async function takeClusterIps(
  service: Service,
  allocators: ServiceAllocators,
  transaction: Transaction,
): Promise<void> {
  if (needsClusterIp(service)) await takeFrom(0, service, allocators, transaction);
}

/** The same for a change: the type may have gained or lost addresses, and one family may have become two. */
export async function changeClusterIps(
  service: Service,
  old: Service,
  allocators: ServiceAllocators,
  transaction: Transaction,
): Promise<void> {
  if (isHeadless(old)) return;
  if (!needsClusterIp(old)) return takeClusterIps(service, allocators, transaction);
  if (service.spec.type === 'ExternalName') return dropClusterIps(old, 0, allocators, transaction);
  const before = old.spec.ipFamilies?.length ?? 0;
  const after = service.spec.ipFamilies?.length ?? 0;
  if (before === 1 && after === 2) await takeFrom(1, service, allocators, transaction);
  if (before === 2 && after === 1) dropClusterIps(old, 1, allocators, transaction);
}

/** The addresses that a service holds, each with its family. */
export function heldClusterIps({ spec }: Service): { ip: string; family: IpFamily }[] {
  const ips = spec.clusterIPs?.length ? spec.clusterIPs : [spec.clusterIP ?? ''];
  return ips
    .filter((ip) => ip !== '' && ip !== 'None')
    .map((ip) => ({ ip, family: ip.includes(':') ? 'IPv6' : 'IPv4' }));
}

async function takeFrom(
  first: number,
  service: Service,
  allocators: ServiceAllocators,
  transaction: Transaction,
): Promise<void> {
  const { spec } = service;
  const families = spec.ipFamilies ?? [];
  const ips = families.map((_, i) => spec.clusterIPs?.[i] ?? '');
  spec.clusterIPs = ips;
  for (const [i, family] of families.entries()) {
    if (i >= first) ips[i] = await takeOne(service, family as IpFamily, ips[i]!, allocators, transaction);
  }
  if (ips.length > 0) spec.clusterIP = ips[0]!;
}

async function takeOne(
  service: Service,
  family: IpFamily,
  ip: string,
  allocators: ServiceAllocators,
  transaction: Transaction,
): Promise<string> {
  const allocator = allocators.clusterIps.get(family);
  if (allocator === undefined) throw internalError(`cluster is not configured with ${family}`);
  try {
    if (ip === '') return await transaction.takeNext(allocator);
    await transaction.take(allocator, ip);
    return ip;
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    if (ip === '') throw internalError(`failed to allocate a serviceIP: ${error.message}`);
    const errors = new FieldErrors();
    errors.invalid(
      field('spec', 'clusterIPs'),
      service.spec.clusterIPs,
      `failed to allocate IP ${ip}: ${error.message}`,
    );
    throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', errors);
  }
}

/** Releases the addresses from the `first` on. */
export function dropClusterIps(
  service: Service,
  first: number,
  allocators: ServiceAllocators,
  transaction: Transaction,
): void {
  for (const { ip, family } of heldClusterIps(service).slice(first)) {
    const allocator = allocators.clusterIps.get(family);
    if (allocator !== undefined) transaction.drop(allocator, ip);
  }
}
