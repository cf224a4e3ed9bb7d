import type { ApiObject } from '../../apimachinery/meta/object.ts';

/**
 * Clears the fields that only servers set, in an object from a client. For documents that are answered and not stored.
 */
export function clearSystemFields({ metadata }: ApiObject): void {
  delete metadata.creationTimestamp;
  for (const key of ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'] as const)
    delete metadata[key];
}
