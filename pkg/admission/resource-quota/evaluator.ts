import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { ScopedResourceSelectorRequirement } from '../../generated/types/core-v1.ts';
import type { Operation } from '../admission.ts';
import type { Amounts } from '../amounts.ts';

/** How one resource's objects count against quotas. */
export interface QuotaEvaluator<T extends ApiObject = ApiObject> {
  /** Which writes of an object can raise the usage; resized pods are counted besides. */
  readonly operations: readonly Operation[];
  /** Whether objects of this resource count towards an amount of this name. */
  counts(name: string): boolean;
  /** What one object uses. */
  usage(object: T): Amounts;
  /**
   * What an object must say itself where amounts of these names are bounded, in words for the client; undefined when it
   * does.
   */
  missing?(object: T, bounded: ReadonlySet<string>): string | undefined;
  /**
   * Whether an update moves an object from scope to scope, and so into the reach of other quotas; for operations that
   * are not counted otherwise.
   */
  changesScope?(object: T, old: T): boolean;
  /** Whether an object is in a scope; objects of resources without scopes are in none. */
  inScope?(object: T, scope: ScopedResourceSelectorRequirement): boolean;
}
