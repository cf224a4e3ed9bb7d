import { broughtInLine, isObsolete, newObject } from './bring-in-line.ts';
import type { FlowObject, WantedObject } from './wanted-objects.ts';

/** One kind of flow control's objects. */
export interface FlowKind<T extends FlowObject> {
  readonly wanted: ReadonlyMap<string, WantedObject>;
  readonly objectOf: (name: string) => T | undefined;
  readonly create: (object: FlowObject) => Promise<unknown>;
  readonly update: (object: T) => Promise<unknown>;
  /** Deletes the object unless it has changed since. */
  readonly remove: (object: T) => Promise<unknown>;
}

/** Makes the object that is lacking, brings it in line where its owners leave that to servers, or removes it. */
export async function reconcile<T extends FlowObject>(name: string, kind: FlowKind<T>): Promise<void> {
  const wanted = kind.wanted.get(name);
  const current = kind.objectOf(name);
  if (current === undefined) {
    if (wanted !== undefined) await kind.create(newObject(name, wanted));
  } else if (wanted === undefined) {
    if (isObsolete(current)) await kind.remove(current);
  } else {
    const changed = broughtInLine(current, wanted);
    if (changed !== undefined) await kind.update(changed);
  }
}
