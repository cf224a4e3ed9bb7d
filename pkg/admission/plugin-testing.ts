import { resourceKey, type Resource } from '../api/resource.ts';
import type { AnyResource } from '../api/resource-definition.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { StatusError } from '../apimachinery/errors/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import type { ObjectLookup } from './object-lookup.ts';

/** For tests of plugins: the objects that exist, by resource. */
export function lookupOf(objects: Record<string, readonly object[]>): ObjectLookup {
  const all = <T extends ApiObject>(resource: Resource<T>): T[] => (objects[resourceKey(resource)] ?? []) as T[];
  return {
    get: async (resource, namespace, name) =>
      all(resource).find((o) => o.metadata.name === name && (o.metadata.namespace ?? '') === namespace),
    list: async (resource, namespace) =>
      all(resource).filter((o) => namespace === '' || o.metadata.namespace === namespace),
  };
}

/**
 * A request as the registry makes it; by default a create of `object`. `resource` is `pods` or
 * `ingresses.networking.k8s.io`.
 */
export function requestFor(
  resource: string,
  object: object | undefined,
  overrides: Partial<AdmissionRequest> = {},
): AdmissionRequest {
  const [name = '', ...group] = resource.split('.');
  const meta = (object as Partial<ApiObject> | undefined)?.metadata;
  return {
    operation: 'CREATE',
    definition: { resource: name, group: group.join('.') } as AnyResource,
    groupVersion: 'v1',
    subresource: '',
    namespace: meta?.namespace ?? '',
    name: meta?.name ?? '',
    object: object as ApiObject | undefined,
    oldObject: undefined,
    user: { name: 'tester', groups: [] },
    dryRun: false,
    notes: { warn: () => undefined, annotate: () => undefined },
    ...overrides,
  };
}

/** Runs both phases. Returns the refusal's `code message`, or undefined when the plugin admits the request. */
export async function refusalOf(plugin: AdmissionPlugin, request: AdmissionRequest): Promise<string | undefined> {
  try {
    await plugin.admit?.(request);
    await plugin.validate?.(request);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
}
