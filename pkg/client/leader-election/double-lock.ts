import type { ObjectReference } from '../../generated/types/core-v1.ts';
import type { CallOptions } from '../rest/client.ts';
import type { LeaderRecord } from './leader-record.ts';
import type { ObservedRecord, ResourceLock } from './resource-lock.ts';

/** A holder that no candidate is: the two locks name different ones. */
export const UNKNOWN_LEADER = 'leaderelection.k8s.io/unknown';

/**
 * Two locks that are held together, for moving from one to the other: candidates that know only the first, and those
 * that know only the second, respect the holder of both. The first decides between candidates that know both.
 */
export class DoubleLock implements ResourceLock {
  private readonly primary: ResourceLock;
  private readonly secondary: ResourceLock;
  /** As seen last. */
  private secondExists = false;

  constructor(primary: ResourceLock, secondary: ResourceLock) {
    this.primary = primary;
    this.secondary = secondary;
  }

  get regarding(): ObjectReference {
    return this.primary.regarding;
  }

  async get(options: CallOptions): Promise<ObservedRecord | undefined> {
    const first = await this.primary.get(options);
    if (first === undefined) return undefined;
    const second = await this.secondary.get(options);
    this.secondExists = second !== undefined;
    return second === undefined ? first : together(first, second);
  }

  /** Fails where the second lock exists already: the next `get` sees its holder. */
  async create(record: LeaderRecord, options: CallOptions): Promise<ObservedRecord> {
    const first = await this.primary.create(record, options);
    return together(first, await this.createSecond(record, options));
  }

  /** Fails with a conflict where another candidate has written either lock since it was read. */
  async update(record: LeaderRecord, options: CallOptions): Promise<ObservedRecord> {
    const first = await this.primary.update(record, options);
    if (this.secondExists) return together(first, await this.secondary.update(record, options));
    return together(first, await this.createSecond(record, options));
  }

  private async createSecond(record: LeaderRecord, options: CallOptions): Promise<ObservedRecord> {
    const second = await this.secondary.create(record, options);
    this.secondExists = true;
    return second;
  }
}

/** Where one lock is free the holder of the other one holds both, for as long as its record says. */
function together(first: ObservedRecord, second: ObservedRecord): ObservedRecord {
  const raw = `${first.raw}\n${second.raw}`;
  const [one, other] = [first.record, second.record];
  if (one.holderIdentity === other.holderIdentity || other.holderIdentity === '') return { raw, record: one };
  if (one.holderIdentity === '') return { raw, record: other };
  const leaseDurationSeconds = Math.max(one.leaseDurationSeconds, other.leaseDurationSeconds);
  return { raw, record: { ...one, holderIdentity: UNKNOWN_LEADER, leaseDurationSeconds } };
}
