import type { Resource } from '../../api/resource.ts';
import type { Scale } from '../../generated/types/autoscaling-v1.ts';
import type { CallOptions, Client, ObjectName } from '../rest/client.ts';

/** The replicas of an object of any resource with a `scale` subresource: wanted, present, and by which selector. */
export function readScale(
  client: Client,
  resource: Resource,
  name: ObjectName,
  options: CallOptions = {},
): Promise<Scale> {
  return client.subresource<Scale>(resource, name, 'scale', { method: 'GET' }, options);
}

/** Sets the wanted replicas on the state that `scale` shows; rejects with a conflict where that has changed. */
export function writeScale(
  client: Client,
  resource: Resource,
  scale: Scale,
  replicas: number,
  options: CallOptions = {},
): Promise<Scale> {
  const body: Scale = { ...scale, spec: { ...scale.spec, replicas } };
  return client.subresource<Scale>(resource, scale.metadata as ObjectName, 'scale', { method: 'PUT', body }, options);
}
