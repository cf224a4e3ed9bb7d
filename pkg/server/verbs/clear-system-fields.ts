import type { ApiObject } from '../../apimachinery/meta/object.ts';

/**
 * What only servers say of an object counts for nothing in one from a client. For documents that are answered and not
 * stored.
 */
export function clearSystemFields({ metadata }: ApiObject): void {
  delete metadata.creationTimestamp;
  for (const key of ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'] as const)
    delete metadata[key];
}
