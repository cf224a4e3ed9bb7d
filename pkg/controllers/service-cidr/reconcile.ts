import type { IPAddress, ServiceCIDR } from '../../generated/types/networking-v1.ts';
import { DEFAULT_SERVICE_CIDR } from '../default-service-cidr/ensure-cidr.ts';
import { wouldOrphan } from './find-orphan.ts';
import { hasFinalizer, withFinalizer, withoutFinalizer } from './keep-finalizer.ts';
import { readyCondition, withReady } from './ready-condition.ts';

/** How often those that are being deleted are looked at: what holds them is other objects. */
const DELETION_CHECK_MS = 1000;
/** How long servers have to say themselves of the ServiceCIDR of their options that it is ready. */
const OWN_CONDITION_MS = 5000;
const MANAGED_BY_LABEL = 'ipaddress.kubernetes.io/managed-by';
const MANAGER = 'ipallocator.k8s.io';
/** The addresses of services. */
export const MANAGED = `${MANAGED_BY_LABEL}=${MANAGER}`;

const IN_USE =
  'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR';

export interface ServiceCidrSteps {
  readonly cidrOf: (name: string) => ServiceCIDR | undefined;
  readonly cidrs: () => readonly ServiceCIDR[];
  /** Names of the addresses that an informer has, and one of them. */
  readonly addressNames: () => Iterable<string>;
  readonly addressOf: (name: string) => IPAddress | undefined;
  /** The addresses of services that the server has now. */
  readonly listAddresses: () => Promise<readonly IPAddress[]>;
  readonly update: (cidr: ServiceCIDR) => Promise<ServiceCIDR>;
  readonly updateStatus: (cidr: ServiceCIDR) => Promise<ServiceCIDR>;
  readonly nowMs: number;
  /** All servers see a deletion, and take no more addresses, before the object is removed. */
  readonly deletionGraceMs: number;
}

/** One ServiceCIDR; returns when to look at it again, where it waits for others. */
export async function reconcile(name: string, steps: ServiceCidrSteps): Promise<number | void> {
  const cidr = steps.cidrOf(name);
  if (cidr === undefined) return;
  if (cidr.metadata.deletionTimestamp === undefined) return keep(cidr, steps);
  if (!hasFinalizer(cidr)) return;
  return release(cidr, cidr.metadata.deletionTimestamp, steps);
}

async function keep(cidr: ServiceCIDR, { update, updateStatus, nowMs }: ServiceCidrSteps): Promise<number | void> {
  const kept = hasFinalizer(cidr) ? cidr : await update(withFinalizer(cidr));
  if (readyCondition(kept) !== undefined) return;
  const ageMs = nowMs - Date.parse(kept.metadata.creationTimestamp ?? '');
  if (kept.metadata.name === DEFAULT_SERVICE_CIDR && ageMs < OWN_CONDITION_MS) return OWN_CONDITION_MS - ageMs;
  await updateStatus(
    withReady(kept, { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' }, nowMs),
  );
}

async function release(cidr: ServiceCIDR, deleted: string, steps: ServiceCidrSteps): Promise<number | void> {
  const { nowMs } = steps;
  const isManaged = (name: string): boolean => steps.addressOf(name)?.metadata.labels?.[MANAGED_BY_LABEL] === MANAGER;
  const isNeeded = await wouldOrphan(cidr, steps.cidrs(), steps.addressNames(), isManaged);
  if (isNeeded) {
    if (readyCondition(cidr)?.reason !== 'Terminating')
      await steps.updateStatus(withReady(cidr, { status: 'False', reason: 'Terminating', message: IN_USE }, nowMs));
    return DELETION_CHECK_MS;
  }
  if (nowMs - Date.parse(deleted) < steps.deletionGraceMs) return DELETION_CHECK_MS;
  // This cannot be undone: an informer that lags behind is not enough.
  const listed = (await steps.listAddresses()).map(({ metadata }) => metadata.name!);
  if (await wouldOrphan(cidr, steps.cidrs(), listed, () => true)) return DELETION_CHECK_MS;
  await steps.update(withoutFinalizer(cidr));
}
