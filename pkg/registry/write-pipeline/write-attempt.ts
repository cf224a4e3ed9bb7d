import type { Operation } from '../../admission/admission.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { Reservation } from '../resource-hooks.ts';
import type { Conflict, ResourceStore } from '../resource-store.ts';
import { UndoSteps } from '../undo-steps.ts';
import type { WriteRequest } from '../write-request.ts';

/** The result of a write. */
export interface WriteOutcome {
  /** The stored state; after a removal the last one. */
  readonly object: CachedObject;
  readonly created: boolean;
  readonly removed: boolean;
}

/** The result of a step: undefined to continue, or the end of the attempt. */
export type StepResult = WriteOutcome | Conflict | undefined | void;

/** The input of a write; the pipeline does the rest. */
export interface WriteIntent {
  readonly operation: Exclude<Operation, 'CONNECT'>;
  /**
   * Sets `object` and `old` of the attempt from its `current`, for a delete `removal` as well. Runs once per attempt,
   * on ever newer states. Throws StatusError to refuse.
   */
  transform(attempt: WriteAttempt): Promise<StepResult> | StepResult;
  /** Checks that depend on the object after admission. Throws StatusError. */
  checkPreconditions?(attempt: WriteAttempt): Promise<void> | void;
}

/** One attempt of a write on one known state of its object, passed through the steps of the pipeline. */
export class WriteAttempt {
  readonly store: ResourceStore;
  readonly intent: WriteIntent;
  readonly write: WriteRequest;
  /** The stored state that the write replaces, as this process knows it; undefined for creates. */
  readonly current: CachedObject | undefined;
  /** The new state, the attempt's own; undefined where a delete removes at once. */
  object: ApiObject | undefined = undefined;
  /** The stored state as admission, validation and hooks see it: not to be changed. Undefined for creates. */
  old: ApiObject | undefined = undefined;
  /** `after-mark`: watchers see the object marked as being deleted, then removed. */
  removal: 'none' | 'now' | 'after-mark' = 'none';
  /** The request as shown to admission; the request itself except for deletes. */
  admitted: WriteRequest;
  /** The version in a client's new object, which may have none. */
  givenVersion = 0;
  /** The bytes to store, once `compare` has made them. */
  value: Uint8Array | undefined = undefined;
  /** Set by `commit`. */
  outcome: WriteOutcome | undefined = undefined;
  reservation: Reservation | undefined = undefined;
  readonly undo = new UndoSteps();

  constructor(store: ResourceStore, intent: WriteIntent, write: WriteRequest, current: CachedObject | undefined) {
    this.store = store;
    this.intent = intent;
    this.write = write;
    this.admitted = write;
    this.current = current;
  }

  get dryRun(): boolean {
    return this.write.context.dryRun;
  }

  /** The store's key of the object; of a new one when it has its name. */
  get key(): string {
    if (this.current !== undefined) return this.current.key;
    const { namespace = '', name = '' } = this.object!.metadata;
    return this.store.keyOf(namespace, name);
  }

  /** Ends the attempt without a change, unless another process was faster. */
  async unchanged(): Promise<WriteOutcome | Conflict> {
    const current = this.current!;
    return (await this.store.conflictWith(current)) ?? { object: current, created: false, removed: false };
  }
}
