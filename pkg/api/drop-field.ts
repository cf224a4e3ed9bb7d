/**
 * Fields by path from an object's root: `spec.containers.*.volumeDevices`, where `*` is every item of a list and every
 * entry of a map. The names in paths are the server's own.
 */
export type FieldPathPattern = string;

/** Whether the field is there, in any of the items that the path names. */
export function hasField(object: unknown, path: FieldPathPattern): boolean {
  let found = false;
  eachHolder(object, path.split('.'), () => {
    found = true;
  });
  return found;
}

/** Removes the field at every place of the path; changes `object` in place. */
export function dropField(object: unknown, path: FieldPathPattern): void {
  eachHolder(object, path.split('.'), (holder, name) => {
    delete holder[name];
  });
}

function eachHolder(
  value: unknown,
  [name = '', ...rest]: readonly string[],
  visit: (holder: Record<string, unknown>, name: string) => void,
): void {
  if (typeof value !== 'object' || value === null) return;
  if (name === '*') {
    for (const item of Array.isArray(value) ? value : Object.values(value)) eachHolder(item, rest, visit);
    return;
  }
  if (!Object.hasOwn(value, name)) return;
  const holder = value as Record<string, unknown>;
  if (rest.length > 0) eachHolder(holder[name], rest, visit);
  else if (holder[name] !== undefined) visit(holder, name);
}
