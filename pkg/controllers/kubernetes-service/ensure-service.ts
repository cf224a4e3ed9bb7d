import type { Service } from '../../generated/types/core-v1.ts';
import type { SingleObject } from '../single-object.ts';
import { serviceObject, type KubernetesServiceOptions } from './service-object.ts';

/** Makes the service where there is none. Changes of an existing one by users stay until a server starts. */
export async function ensureService(
  service: Pick<SingleObject<Service>, 'read' | 'create'>,
  options: KubernetesServiceOptions,
): Promise<void> {
  if ((await service.read()) === undefined) await service.create(serviceObject(options));
}
