import { noAdmission, silentNotes } from '../../admission/admission.ts';
import type { IpFamily } from '../../api/core/service/allocation-rules.ts';
import { formatIp, parseIp } from '../../apimachinery/names/ip.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { IPAddress } from '../../generated/types/networking-v1.ts';
import { deleteObject } from '../delete-object.ts';
import { createOwn, ownWrite } from '../own-writes.ts';
import type { ResourceStore } from '../resource-store.ts';
import type { Holder } from './allocator.ts';

/**
 * The IPAddress objects by which all servers of a cluster know which addresses are taken, and for which service (KEP
 * 1880).
 */

const FAMILY_LABEL = 'ipaddress.kubernetes.io/ip-family';
const MANAGED_BY_LABEL = 'ipaddress.kubernetes.io/managed-by';
const MANAGER = 'ipallocator.k8s.io';

/** The canonical form, in which an address is a name; undefined where the text is no address. */
export function addressName(ip: string): string | undefined {
  const bytes = parseIp(ip);
  return bytes === undefined ? undefined : formatIp(bytes);
}

/** Of an address in the form of a name. */
export function familyOfName(name: string): IpFamily {
  return name.includes(':') ? 'IPv6' : 'IPv4';
}

/** Takes the address; false when it is taken. */
export async function createIpAddress(
  addresses: ResourceStore<IPAddress>,
  name: string,
  { namespace, name: service }: Holder,
): Promise<boolean> {
  const labels = { [FAMILY_LABEL]: familyOfName(name), [MANAGED_BY_LABEL]: MANAGER };
  try {
    await createOwn(addresses, {
      metadata: { name, labels },
      spec: { parentRef: { resource: 'services', namespace, name: service } },
    });
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

/** Releases the address: deletes this very object, and none that has taken its place. */
export async function deleteIpAddress(addresses: ResourceStore<IPAddress>, { metadata }: IPAddress): Promise<void> {
  const { name = '', uid = '' } = metadata;
  const write = ownWrite(addresses, '', name);
  try {
    await deleteObject(addresses, {
      ...write,
      admission: noAdmission,
      notes: silentNotes,
      options: { preconditions: { uid } },
    });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** Whether the address was taken by an allocator for a service. */
export function isManaged({ metadata }: IPAddress): boolean {
  return metadata.labels?.[MANAGED_BY_LABEL] === MANAGER;
}

export function hasAllocatorLabels(address: IPAddress): boolean {
  return isManaged(address) && address.metadata.labels?.[FAMILY_LABEL] === familyOfName(address.metadata.name ?? '');
}

/** The service that the address belongs to; undefined where it belongs to something else. */
export function serviceOf({ spec }: IPAddress): Holder | undefined {
  const { group = '', resource, namespace = '', name = '' } = spec.parentRef ?? {};
  return group === '' && resource === 'services' ? { namespace, name } : undefined;
}
