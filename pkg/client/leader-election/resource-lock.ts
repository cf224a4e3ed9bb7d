import type { ObjectReference } from '../../generated/types/core-v1.ts';
import type { CallOptions } from '../rest/client.ts';
import type { LeaderRecord } from './leader-record.ts';

export interface ObservedRecord {
  readonly record: LeaderRecord;
  /** Differs whenever the stored record does: all that others go by. */
  readonly raw: string;
}

/**
 * Where the record of a leader is kept. `update` replaces the record that `get`, `create` or `update` of this lock saw
 * last, and fails with a conflict after another write: of several candidates one succeeds.
 */
export interface ResourceLock {
  /** The object, for events about it. */
  readonly regarding: ObjectReference;
  /** Undefined where there is no object yet. */
  get(options: CallOptions): Promise<ObservedRecord | undefined>;
  create(record: LeaderRecord, options: CallOptions): Promise<ObservedRecord>;
  update(record: LeaderRecord, options: CallOptions): Promise<ObservedRecord>;
}

/** Which object is the lock. */
export interface LockName {
  readonly namespace: string;
  readonly name: string;
}
