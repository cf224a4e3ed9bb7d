import { isAlreadyExists } from '../../apimachinery/errors/status-error.ts';
import { setKey } from '../../apimachinery/json/own-keys.ts';
import { isValidLabelValue } from '../../apimachinery/names/names.ts';
import { formatMicroTime } from '../../apimachinery/values/time.ts';
import type { Lease } from '../../generated/types/coordination-v1.ts';
import { IDENTITY, IDENTITY_LABEL, LEASE_SECONDS, NAMESPACE, serverIdentity } from './server-identity.ts';

const HOSTNAME_LABEL = 'kubernetes.io/hostname';

export interface LeaseHolder {
  readonly hostname: string;
  /** Another one for each start of the server. */
  readonly holder: string;
}

export interface LeaseFunctions {
  /** From the informer of the servers' leases: one that lost its labels is not among them. */
  readonly known: (name: string) => Lease | undefined;
  /** From the server. */
  readonly read: (name: string) => Promise<Lease>;
  readonly create: (lease: Lease) => Promise<unknown>;
  readonly update: (lease: Lease) => Promise<unknown>;
}

/** Makes or takes over the lease, and sets its time and its labels: one write, or two where it is not known. */
export async function reconcile(server: LeaseHolder, functions: LeaseFunctions, nowMs: number): Promise<void> {
  const name = serverIdentity(server.hostname);
  const known = functions.known(name);
  if (known !== undefined) return void (await functions.update(renewed(known, server, nowMs)));
  try {
    await functions.create(renewed({ metadata: { name, namespace: NAMESPACE }, spec: {} }, server, nowMs));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await functions.update(renewed(await functions.read(name), server, nowMs));
  }
}

function renewed(lease: Lease, { hostname, holder }: LeaseHolder, nowMs: number): Lease {
  const labels = { ...lease.metadata.labels };
  setKey(labels, IDENTITY_LABEL, IDENTITY);
  if (isValidLabelValue(hostname).length === 0) setKey(labels, HOSTNAME_LABEL, hostname);
  const renewTime = formatMicroTime(new Date(nowMs));
  const spec = { ...lease.spec, holderIdentity: holder, leaseDurationSeconds: LEASE_SECONDS, renewTime };
  return { ...lease, metadata: { ...lease.metadata, labels }, spec };
}
