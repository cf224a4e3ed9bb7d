import { createHash, randomUUID } from 'node:crypto';
import { getKey, setKey } from '../apimachinery/json/own-keys.ts';
import { isValidLabelValue } from '../apimachinery/names/names.ts';
import { isConflict, isNotFound } from '../apimachinery/errors/status-error.ts';
import type { Lease } from '../generated/types/coordination-v1.ts';
import { deleteObject } from '../registry/delete-object.ts';
import { changeOwn, createOwnIfAbsent, ownWrite } from '../registry/own-writes.ts';
import { listObjects } from '../registry/read-objects.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import { isStoreFull } from '../registry/store-errors-to-status.ts';
import { PeriodicTask } from './periodic-task.ts';

/** A server says that it is there by a lease that it renews; those of servers that are gone are collected. */
const NAMESPACE = 'kube-system';
const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';
const IDENTITY = 'kube-apiserver';
const HOSTNAME_LABEL = 'kubernetes.io/hostname';

const LEASE_SECONDS = 3600;
const RENEW_MS = 10_000;
const COLLECT_MS = LEASE_SECONDS * 1000;

export interface IdentityLeaseOptions {
  readonly hostname: string;
  readonly onError: (error: unknown, where: string) => void;
  readonly nowMs?: () => number;
  readonly renewMs?: number;
  readonly collectMs?: number;
}

/**
 * `apiserver-` and a hash of the host's name, as stock servers call themselves: after a restart the lease is the same.
 */
export function serverIdentity(hostname: string): string {
  return `apiserver-${base32(createHash('sha256').update(hostname).digest().subarray(0, 16))}`;
}

/**
 * Makes or takes over the lease, then keeps renewing it and collecting others. Rejects when the first renewal fails for
 * another reason than a full store.
 */
export async function keepIdentityLease(
  leases: ResourceStore,
  options: IdentityLeaseOptions,
): Promise<{ stop(): Promise<void> }> {
  const { hostname, onError, nowMs = Date.now } = options;
  const holder = `${serverIdentity(hostname)}_${randomUUID()}`;
  const where = 'identity of the server';
  const tasks = [
    new PeriodicTask(
      options.renewMs ?? RENEW_MS,
      () => renewLease(leases, hostname, holder, nowMs()),
      (error) => onError(error, where),
    ),
    new PeriodicTask(
      options.collectMs ?? COLLECT_MS,
      () => collectLeases(leases, nowMs()),
      (error) => onError(error, where),
    ),
  ];
  const stop = async (): Promise<void> => void (await Promise.all(tasks.map((task) => task.stop())));
  try {
    await renewLease(leases, hostname, holder, nowMs());
  } catch (error) {
    if (!isStoreFull(error)) {
      await stop();
      throw error;
    }
    // Reads work all the same, and the next renewal tries again.
    onError(error, where);
  }
  return { stop };
}

async function renewLease(leases: ResourceStore, hostname: string, holder: string, nowMs: number): Promise<void> {
  const name = serverIdentity(hostname);
  const renewTime = microTime(nowMs);
  const labels = {
    [IDENTITY_LABEL]: IDENTITY,
    ...(isValidLabelValue(hostname).length === 0 ? { [HOSTNAME_LABEL]: hostname } : {}),
  };
  await createOwnIfAbsent(leases, {
    metadata: { name, namespace: NAMESPACE, labels },
    spec: { holderIdentity: holder, leaseDurationSeconds: LEASE_SECONDS, renewTime },
  });
  await changeOwn<Lease>(leases, NAMESPACE, name, (lease) => {
    lease.metadata.labels ??= {};
    for (const [key, value] of Object.entries(labels)) setKey(lease.metadata.labels, key, value);
    Object.assign(lease.spec, { holderIdentity: holder, leaseDurationSeconds: LEASE_SECONDS, renewTime });
  }).catch((error: unknown) => {
    // Deleted since: the next renewal makes it again.
    if (!isNotFound(error)) throw error;
  });
}

/** Deletes the leases of servers that have ended, and those that say nothing of their end. */
export async function collectLeases(leases: ResourceStore, nowMs: number): Promise<void> {
  const { objects } = await listObjects(leases, { scope: leases.scopeOf(NAMESPACE), limit: 0 }, { kind: 'consistent' });
  for (const cached of objects) {
    const lease = cached.object() as Lease;
    const { name = '', labels, uid, resourceVersion } = lease.metadata;
    if (getKey(labels, IDENTITY_LABEL) !== IDENTITY || !hasExpired(lease, nowMs)) continue;
    await deleteObject(leases, {
      ...ownWrite(leases, NAMESPACE, name),
      options: { preconditions: { uid, resourceVersion } },
    }).catch((error: unknown) => {
      // Another server was faster, or its own server renewed it.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    });
  }
}

function hasExpired({ spec: { renewTime, leaseDurationSeconds } }: Lease, nowMs: number): boolean {
  if (renewTime === undefined || leaseDurationSeconds === undefined) return true;
  return Date.parse(renewTime) + Number(leaseDurationSeconds) * 1000 < nowMs;
}

function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** RFC 4648, without padding and in lower case. */
function base32(bytes: Uint8Array): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + alphabet[(value << (5 - bits)) & 31];
}
