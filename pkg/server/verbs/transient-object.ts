import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { ByteBudget } from '../../storage/cacher/byte-budget.ts';
import { CachedObject, type ObjectFormat } from '../../storage/cacher/cached-object.ts';

/** An object that is not stored, in the form in which answers are made of stored ones; takes ownership of it. */
export function transientObject(object: ApiObject): CachedObject {
  const { namespace = '', name = '', resourceVersion = '0', labels } = object.metadata;
  const format: ObjectFormat = { decode: () => object, labels: () => labels, field: () => '' };
  return new CachedObject(
    `${namespace}/${name}`,
    namespace,
    name,
    Number(resourceVersion),
    new Uint8Array(),
    format,
    new ByteBudget(Number.POSITIVE_INFINITY),
  );
}
