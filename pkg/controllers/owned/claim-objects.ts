import { isInvalid, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { OwnerReference } from '../../generated/types/meta-v1.ts';
import { controllerOf } from './pod-indexes.ts';

/** Who claims objects, and how it writes the claim. */
export interface Claimer<T extends ApiObject> {
  readonly owner: ApiObject;
  readonly ownerKind: { readonly apiVersion: string; readonly kind: string };
  readonly selector: LabelSelector;
  /** Further conditions on an object that is to be adopted or kept; default: none. */
  readonly filter?: (object: T) => boolean;
  /** The owner as the server has it now, not a cache: adopting for one that is gone would orphan nobody. */
  readonly readOwner: () => Promise<ApiObject>;
  /** Strategic merge patch of one object. */
  readonly patch: (object: T, patch: object) => Promise<T>;
}

/**
 * The objects that belong to an owner: those that it manages and selects; orphans that it selects are adopted, and what
 * it manages and selects no longer is released. `candidates` are its own objects and orphans of the namespace.
 */
export async function claimObjects<T extends ApiObject>(
  candidates: readonly T[],
  claimer: Claimer<T>,
): Promise<readonly T[]> {
  const { owner, selector, filter } = claimer;
  const uid = owner.metadata.uid!;
  const isOwnerDeleted = owner.metadata.deletionTimestamp !== undefined;
  let mayAdopt: Promise<void> | undefined;
  const claimed: T[] = [];
  for (const object of candidates) {
    const ref = controllerOf(object);
    if (ref !== undefined && ref.uid !== uid) continue;
    const isSelected = selector.matches(object.metadata.labels) && filter?.(object) !== false;
    if (ref !== undefined) {
      if (isSelected) claimed.push(object);
      else if (!isOwnerDeleted) await release(object, claimer);
      continue;
    }
    if (!isSelected || isOwnerDeleted || object.metadata.deletionTimestamp !== undefined) continue;
    await (mayAdopt ??= checkOwner(claimer));
    const adopted = await adopt(object, claimer);
    if (adopted !== undefined) claimed.push(adopted);
  }
  return claimed;
}

/** The reference by which an owner manages an object. */
export function controllerReference({ metadata }: ApiObject, kind: Claimer<ApiObject>['ownerKind']): OwnerReference {
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    name: metadata.name!,
    uid: metadata.uid!,
    controller: true,
    blockOwnerDeletion: true,
  };
}

async function checkOwner<T extends ApiObject>({ owner, readOwner }: Claimer<T>): Promise<void> {
  const { metadata } = await readOwner();
  const name = `${owner.metadata.namespace}/${owner.metadata.name}`;
  if (metadata.uid !== owner.metadata.uid)
    throw new Error(`original ${name} is gone: got uid ${metadata.uid}, wanted ${owner.metadata.uid}`);
  if (metadata.deletionTimestamp !== undefined)
    throw new Error(`${name} has just been deleted at ${metadata.deletionTimestamp}`);
}

/** Undefined: the object is gone, or is another by now. */
async function adopt<T extends ApiObject>(object: T, { owner, ownerKind, patch }: Claimer<T>): Promise<T | undefined> {
  const { uid } = object.metadata;
  const body = { metadata: { ownerReferences: [controllerReference(owner, ownerKind)], uid } };
  return ignoreMissing(() => patch(object, body));
}

async function release<T extends ApiObject>(object: T, { owner, patch }: Claimer<T>): Promise<void> {
  const { uid } = object.metadata;
  const body = { metadata: { ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }], uid } };
  await ignoreMissing(() => patch(object, body));
}

/** Gone (404), or another object has its name (422 for the uid). */
async function ignoreMissing<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (isNotFound(error) || isInvalid(error)) return undefined;
    throw error;
  }
}
