import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { ObjectName } from '../rest/client.ts';

/** `namespace/name`, or the name alone: the key of an object in work queues, the same as in Go programs. */
export function objectKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** The key of an object. */
export function keyOf({ metadata: { namespace = '', name = '' } }: ApiObject): string {
  return objectKey(namespace, name);
}

/** The name that a key stands for. */
export function splitKey(key: string): Required<ObjectName> {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
