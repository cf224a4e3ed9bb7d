import { groupVersionOf, type Resource } from '../../api/resource.ts';
import type { ApiObject, OwnerReference } from '../../apimachinery/meta/object.ts';

/** The reference by which `owner` controls its dependents; the collector of garbage waits for those that it blocks. */
export function controllerReference(resource: Resource, owner: ApiObject): OwnerReference {
  return { ...ownerReference(resource, owner), controller: true, blockOwnerDeletion: true };
}

/** A reference of one owner among several. */
export function ownerReference(resource: Resource, { metadata }: ApiObject): OwnerReference {
  const { name = '', uid = '' } = metadata;
  return { apiVersion: groupVersionOf(resource), kind: resource.kind, name, uid };
}

/** The reference to what controls the object, if anything does. */
export function controllerOf({ metadata }: ApiObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Whether this very owner, by its uid, controls the object. */
export function isControlledBy(object: ApiObject, owner: ApiObject): boolean {
  const controller = controllerOf(object);
  return controller !== undefined && controller.uid === owner.metadata.uid;
}

/** Whether the reference names an object of this kind, in whatever version. */
export function refersTo({ apiVersion, kind }: OwnerReference, resource: Resource): boolean {
  const slash = apiVersion.indexOf('/');
  return kind === resource.kind && (slash < 0 ? '' : apiVersion.slice(0, slash)) === resource.group;
}
