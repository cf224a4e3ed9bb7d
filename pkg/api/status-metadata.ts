import type { ApiObject } from '../apimachinery/meta/object.ts';

const KEPT = [
  'deletionTimestamp',
  'generation',
  'selfLink',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
] as const;

/** Takes metadata from the stored object, for status paths that change nothing but the status. In place. */
export function keepMetadataForStatus(object: ApiObject, old: ApiObject): void {
  const target = object.metadata as Record<string, unknown>;
  for (const name of KEPT) {
    if (old.metadata[name] === undefined) delete target[name];
    else target[name] = old.metadata[name];
  }
}
