import type { ApiObject } from '../../apimachinery/meta/object.ts';

/** Undefined: nothing is to be written. */
export function protectedObject<T extends ApiObject>(object: T, finalizer: string, isUsed: boolean): T | undefined {
  const { metadata } = object;
  const finalizers = metadata.finalizers ?? [];
  const has = finalizers.includes(finalizer);
  if (metadata.deletionTimestamp === undefined)
    return has ? undefined : { ...object, metadata: { ...metadata, finalizers: [...finalizers, finalizer] } };
  if (!has || isUsed) return undefined;
  return { ...object, metadata: { ...metadata, finalizers: finalizers.filter((name) => name !== finalizer) } };
}
