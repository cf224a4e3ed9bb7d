import type { Resource } from '../../api/resource.ts';
import { conflict, invalid, type StatusError } from '../../apimachinery/errors/status-error.ts';
import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from '../../apimachinery/meta/object-meta-validation.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { DeleteOptions } from '../rest/client.ts';
import { type KindRules, kindRules } from './kind-rules-testing.ts';

/** Subresources that change nothing but the status. */
const OF_STATUS = ['status', 'approval'];

/** The new object as it is stored, with its system fields. */
export function newObject<T extends ApiObject>(resource: Resource<T>, object: T, uid: string, now: string): T {
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, resourceVersion: ___, ...given } = object.metadata;
  checkControllers(resource, object);
  const generation = kindRules(resource).generationOf === undefined ? {} : { generation: 1 };
  return { ...object, metadata: { ...given, uid, creationTimestamp: now, ...generation } };
}

/** The next state of an object; throws where the change may not be. `subresource` is empty for the object itself. */
export function changedObject<T extends ApiObject>(resource: Resource<T>, subresource: string, object: T, old: T): T {
  const { name = '', uid, resourceVersion, finalizers = [] } = object.metadata;
  if ((uid ?? '') !== '' && uid !== old.metadata.uid) {
    throw uidConflict(resource, name, uid!, old.metadata.uid!);
  }
  if ((resourceVersion ?? '') !== '' && resourceVersion !== old.metadata.resourceVersion) {
    throw conflict(
      resource,
      name,
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  }
  checkControllers(resource, object);
  const added = finalizers.filter((finalizer) => old.metadata.finalizers?.includes(finalizer) !== true);
  if (old.metadata.deletionTimestamp !== undefined && added.length > 0) {
    const errors = new FieldErrors();
    const detail = 'no new finalizers can be added if the object is being deleted';
    errors.forbidden(field('metadata', 'finalizers'), `${detail}, found new finalizers ${JSON.stringify(added)}`);
    throw invalid({ group: resource.group, kind: resource.kind }, name, errors);
  }
  return { ...contentOf(resource, subresource, object, old), metadata: changedMetadata(object, old) };
}

/** One owner at most controls an object. */
function checkControllers({ group, kind }: Resource, { metadata }: ApiObject): void {
  const controllers = metadata.ownerReferences?.filter(({ controller }) => controller === true) ?? [];
  if (controllers.length < 2) return;
  const errors = new FieldErrors();
  const detail = 'Only one reference can have Controller set to true';
  errors.invalid(field('metadata', 'ownerReferences'), metadata.ownerReferences, detail);
  throw invalid({ group, kind }, metadata.name ?? '', errors);
}

/** 409 for an update of another object of that name. */
export function uidConflict(resource: Resource, name: string, wanted: string, found: string): StatusError {
  const message = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
  return conflict(resource, name, message);
}

function contentOf<T extends ApiObject>(resource: Resource<T>, subresource: string, object: T, old: T): T {
  const status = (from: T): object => ('status' in from ? { status: from.status } : {});
  const { status: _, ...rest } = object as T & { status?: unknown };
  const { status: __, ...oldRest } = old as T & { status?: unknown };
  if (OF_STATUS.includes(subresource)) return { ...oldRest, ...status(object) } as T;
  return kindRules(resource).hasStatus ? ({ ...rest, ...status(old) } as T) : object;
}

function changedMetadata<T extends ApiObject>(object: T, old: T): T['metadata'] {
  const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, resourceVersion, uid } =
    old.metadata;
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, generation: ___, ...given } = object.metadata;
  return {
    ...given,
    uid: uid!,
    resourceVersion: resourceVersion!,
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    ...(generation === undefined ? {} : { generation }),
  };
}

/** `object` with the generation that follows from the change. */
export function withGeneration<T extends ApiObject>(resource: Resource<T>, object: T, old: T): T {
  const { generationOf } = kindRules(resource);
  if (generationOf === undefined || deepEqual(generationOf(object), generationOf(old))) return object;
  return { ...object, metadata: { ...object.metadata, generation: (old.metadata.generation ?? 0) + 1 } };
}

/** A patch names no object by its uid, as an update does: it would change it. Throws 422. */
export function checkPatchedUid(resource: Resource, object: ApiObject, old: ApiObject): void {
  const { name = '', uid } = object.metadata;
  if (uid === old.metadata.uid) return;
  const errors = new FieldErrors();
  errors.invalid(field('metadata', 'uid'), uid, 'field is immutable');
  throw invalid({ group: resource.group, kind: resource.kind }, name, errors);
}

/** The object is being deleted, and nothing holds it any more. */
export function isDeletable(resource: Resource, object: ApiObject): boolean {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0 && !kindRules(resource).isHeld(object);
}

/** Throws 409 where the object is not the one that is meant. */
export function checkPreconditions(resource: Resource, object: ApiObject, { preconditions }: DeleteOptions): void {
  const { name = '', uid, resourceVersion } = object.metadata;
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw conflict(
      resource,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid})`,
    );
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw conflict(
      resource,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion})`,
    );
  }
}

/** What a delete makes of an object: the state in which it stays; undefined where it goes at once. */
export function deletedObject<T extends ApiObject>(
  resource: Resource<T>,
  old: T,
  options: DeleteOptions,
  now: string,
): T | undefined {
  const rules = kindRules(resource);
  const object = structuredClone(old);
  const decided = rules.beginDelete(object, now);
  if (decided !== undefined) return decided === 'remove' ? undefined : decided === 'keep' ? old : object;
  const metadata = { ...object.metadata };
  const finalizers = collectionFinalizers(metadata.finalizers ?? [], options);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  markDeleting(rules, old, metadata, options.gracePeriodSeconds, now);
  const next = { ...object, metadata };
  return finalizers.length === 0 && !rules.isHeld(next) ? undefined : next;
}

/** In place. A deletion that has begun can only become shorter. */
function markDeleting(
  rules: KindRules,
  old: ApiObject,
  metadata: ApiObject['metadata'],
  asked: number | undefined,
  now: string,
): void {
  const running = metadata.deletionGracePeriodSeconds ?? 0;
  let begunMs = Date.parse(now);
  let seconds = rules.gracePeriodSeconds(old, asked) ?? 0;
  if (metadata.deletionTimestamp !== undefined) {
    if (asked === undefined || asked >= running) return;
    begunMs = Date.parse(metadata.deletionTimestamp) - running * 1000;
    seconds = asked;
  } else if ((metadata.generation ?? 0) > 0) metadata.generation!++;
  metadata.deletionTimestamp = formatTime(new Date(begunMs + seconds * 1000));
  metadata.deletionGracePeriodSeconds = seconds;
}

/** The finalizers through which the garbage collector learns what becomes of dependents. */
function collectionFinalizers(before: readonly string[], { propagationPolicy }: DeleteOptions): string[] {
  if (propagationPolicy === undefined) return [...before];
  const others = before.filter((name) => name !== FINALIZER_ORPHAN && name !== FINALIZER_FOREGROUND);
  if (propagationPolicy === 'Background') return others;
  return [...others, propagationPolicy === 'Orphan' ? FINALIZER_ORPHAN : FINALIZER_FOREGROUND];
}
