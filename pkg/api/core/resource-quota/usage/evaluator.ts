import type { ApiObject } from '../../../../apimachinery/meta/object.ts';
import type { ScopedResourceSelectorRequirement } from '../../../../generated/types/core-v1.ts';
import type { Amounts } from './amounts.ts';

/** How one resource's objects count against quotas: one rule for the admission plugin and the controller. */
export interface QuotaEvaluator<T extends ApiObject = ApiObject> {
  /** Which writes of an object can raise the usage; resized pods are counted as well. */
  readonly operations: readonly ('CREATE' | 'UPDATE')[];
  /** The usage is the same for every object, whatever its content: metadata is enough to count them. */
  readonly isCountOnly?: true;
  /** Whether objects of this resource count towards an amount of this name. */
  counts(name: string): boolean;
  /** The usage of one object. */
  usage(object: T): Amounts;
  /**
   * The missing fields of an object where amounts of these names are bounded, as a message for the client; undefined
   * when there is none.
   */
  missing?(object: T, bounded: ReadonlySet<string>): string | undefined;
  /**
   * Whether an update moves an object from scope to scope, and so to other quotas; for operations that are not counted
   * otherwise.
   */
  changesScope?(object: T, old: T): boolean;
  /** Whether an object is in a scope; objects of resources without scopes are in none. */
  inScope?(object: T, scope: ScopedResourceSelectorRequirement): boolean;
}
