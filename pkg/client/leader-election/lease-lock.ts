import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import { formatMicroTime } from '../../apimachinery/values/time.ts';
import { leases } from '../../api/coordination/tokens.ts';
import { groupVersionOf } from '../../api/resource.ts';
import type { Lease, LeaseSpec } from '../../generated/types/coordination-v1.ts';
import type { ObjectReference } from '../../generated/types/core-v1.ts';
import type { CallOptions, Client } from '../rest/client.ts';
import type { LeaderRecord } from './leader-record.ts';
import type { LockName, ObservedRecord, ResourceLock } from './resource-lock.ts';

/** A Lease object: the lock that stock components use. */
export class LeaseLock implements ResourceLock {
  readonly regarding: ObjectReference;
  private readonly client: Client;
  private readonly name: LockName;
  private seen: Lease | undefined;

  constructor(client: Client, name: LockName) {
    this.client = client;
    this.name = name;
    this.regarding = { kind: leases.kind, apiVersion: groupVersionOf(leases), ...name };
  }

  async get(options: CallOptions): Promise<ObservedRecord | undefined> {
    try {
      return this.observe(await this.client.get(leases, this.name, options));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async create(record: LeaderRecord, options: CallOptions): Promise<ObservedRecord> {
    const lease: Lease = {
      apiVersion: groupVersionOf(leases),
      kind: leases.kind,
      metadata: { ...this.name },
      spec: specOf(record),
    };
    return this.observe(await this.client.create(leases, lease, options));
  }

  async update(record: LeaderRecord, options: CallOptions): Promise<ObservedRecord> {
    if (this.seen === undefined) throw new Error('the lease was neither read nor created yet');
    const lease: Lease = { ...this.seen, spec: { ...this.seen.spec, ...specOf(record) } };
    return this.observe(await this.client.update(leases, lease, options));
  }

  private observe(lease: Lease): ObservedRecord {
    this.seen = lease;
    const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = lease.spec;
    return {
      raw: JSON.stringify([holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions]),
      record: {
        holderIdentity: holderIdentity ?? '',
        leaseDurationSeconds: leaseDurationSeconds ?? 0,
        acquireTimeMs: millisecondsOf(acquireTime),
        renewTimeMs: millisecondsOf(renewTime),
        leaderTransitions: leaseTransitions ?? 0,
      },
    };
  }
}

function specOf(record: LeaderRecord): LeaseSpec {
  return {
    holderIdentity: record.holderIdentity,
    leaseDurationSeconds: record.leaseDurationSeconds,
    acquireTime: formatMicroTime(new Date(record.acquireTimeMs)),
    renewTime: formatMicroTime(new Date(record.renewTimeMs)),
    leaseTransitions: record.leaderTransitions,
  };
}

function millisecondsOf(time: string | undefined): number {
  return time === undefined ? 0 : Date.parse(time);
}
