import { deepCopy, deepEqual } from '../../apimachinery/json/deep.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { FlowObject, WantedObject } from './wanted-objects.ts';

/** Whether servers keep the spec of an object as they know it; `false` leaves it to its owners. */
const AUTOUPDATE = 'apf.kubernetes.io/autoupdate-spec';

export function newObject(name: string, { spec }: WantedObject): FlowObject {
  // How much an exempt level lends is its owners' to change, and shown from the beginning.
  const firstSpec = (spec as { type?: string }).type === 'Exempt' ? { ...spec, exempt: {} } : spec;
  return { metadata: { name, annotations: { [AUTOUPDATE]: 'true' } }, spec: deepCopy(firstSpec), status: {} };
}

/**
 * The object as it should be; undefined where it is. An object without the mark is the servers' as long as its spec was
 * never changed.
 */
export function broughtInLine<T extends FlowObject>(object: T, { spec, isMandatory }: WantedObject): T | undefined {
  const { metadata } = object;
  const mark = getKey(metadata.annotations, AUTOUPDATE);
  const isOurs = isMandatory || (mark === 'true' || mark === 'false' ? mark === 'true' : metadata.generation === 1);
  const changed: T = {
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [AUTOUPDATE]: String(isOurs) } },
    ...(isOurs && !holds(object.spec, spec) ? { spec: deepCopy(spec) } : {}),
  };
  return deepEqual(changed, object) ? undefined : changed;
}

/** Made by a server of another release, and not changed since. */
export function isObsolete({ metadata }: FlowObject): boolean {
  return getKey(metadata.annotations, AUTOUPDATE) === 'true';
}

/**
 * Every field that is wanted is as it is wanted; what is beside them are defaults, or what of an exempt level is free
 * to be set.
 */
function holds(found: unknown, wanted: unknown): boolean {
  if (wanted === null || typeof wanted !== 'object') return found === wanted;
  if (Array.isArray(wanted))
    return Array.isArray(found) && found.length === wanted.length && wanted.every((item, i) => holds(found[i], item));
  return (
    found !== null &&
    typeof found === 'object' &&
    Object.entries(wanted).every(([key, value]) => holds((found as Record<string, unknown>)[key], value))
  );
}
