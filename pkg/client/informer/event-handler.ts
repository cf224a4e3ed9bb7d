import type { ApiObject } from '../../apimachinery/meta/object.ts';

/**
 * A handler of changes: puts keys into a queue, no more. Objects are shared and must not be changed.
 *
 * Each object is added, then updated, then deleted; states in between may be left out. An object that takes the name of
 * a deleted one is another object. Errors are reported, and the next call follows all the same.
 */
export interface EventHandler<T extends ApiObject> {
  /** `isInInitialList`: the object was there when the informer had its first list, or when the handler was added. */
  onAdd?(object: T, isInInitialList: boolean): void;
  /** The same object twice where the handler's resync period is over. */
  onUpdate?(old: T, current: T): void;
  /** `lastKnown`: the last state that is known; it may have been changed once more before. */
  onDelete?(lastKnown: T): void;
}

export interface HandlerOptions {
  /** Every so often the handler sees an update of every object; absent or 0: never. */
  readonly resyncPeriodMs?: number;
}

/** A handler's place at an informer. */
export interface HandlerRegistration {
  /** The handler has seen everything that there was in the first list, or when it was added. */
  readonly synced: boolean;
  /** Resolves true when `synced` is, false when the handler is removed or the informer stopped before. */
  whenSynced(): Promise<boolean>;
  /** Resolves when the handler has seen everything that the informer has. */
  settled(): Promise<void>;
  /** The handler is not called again. */
  remove(): void;
}
