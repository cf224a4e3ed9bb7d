import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { AuthorizationObserver } from '../authorization-observer.ts';
import type { ObjectIndex } from '../follow-objects.ts';

/** The index, each of its changes timed as an action on objects of the kind. */
export function observedIndex<T extends ApiObject>(
  index: ObjectIndex<T>,
  kind: 'Pod' | 'PV' | 'VolumeAttachment' | 'ResourceSlice',
  observer: AuthorizationObserver,
): ObjectIndex<T> {
  const timed = (verb: 'Add' | 'Delete', change: () => void): void => {
    const begin = performance.now();
    change();
    observer.graphChanged(`${verb}${kind}`, (performance.now() - begin) / 1000);
  };
  return {
    clear: () => index.clear(),
    put: (key, object) => timed('Add', () => index.put(key, object)),
    remove: (key) => timed('Delete', () => index.remove(key)),
  };
}
