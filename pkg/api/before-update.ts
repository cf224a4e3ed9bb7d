import { deepEqual } from '../apimachinery/json/deep.ts';
import { FieldErrors } from '../apimachinery/errors/field-errors.ts';
import { field } from '../apimachinery/errors/field-path.ts';
import type { ApiObject, ObjectMeta } from '../apimachinery/meta/object.ts';
import {
  validateIdentity,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../apimachinery/meta/object-meta-validation.ts';
import { nameIsPathSegment } from '../apimachinery/names/names.ts';
import type { AnyResource, MetadataCheck, StrategyContext, SubresourceDefinition } from './resource-definition.ts';

type WithStatus = ApiObject & { status?: unknown };

/**
 * Prepares the new state of a stored object for validation: fields that this path may not change are taken from `old`,
 * and generation follows. `subresource` is the path below the object, if any. Changes `object` in place, never `old`.
 */
export function prepareChange(
  definition: AnyResource,
  subresource: SubresourceDefinition<ApiObject> | undefined,
  object: ApiObject,
  old: ApiObject,
  context: StrategyContext,
): void {
  keepSystemFields(object, old);
  if (subresource === undefined) keepStatus(definition, object, old);
  else if (subresource.name === 'status') keepAllButStatus(object, old);
  (subresource ?? definition).prepareForUpdate?.(object, old, context);
  if (subresource?.name !== 'status' && !subresource?.keepsGeneration) advanceGeneration(definition, object, old);
}

/** Checks a prepared change. An object without errors is brought into its canonical form. */
export function validateChange(
  definition: AnyResource,
  subresource: SubresourceDefinition<ApiObject> | undefined,
  object: ApiObject,
  old: ApiObject,
  context: StrategyContext,
): FieldErrors {
  const errors = new FieldErrors();
  const checks = metadataChecks(definition, subresource, context);
  // The checks of metadata repeat each other, and report the same errors several times. When there is none it is
  // checked once.
  if (!isMetadataFine(definition, checks, object.metadata, old.metadata))
    validateMetadata(definition, checks, object.metadata, old.metadata, errors);
  (subresource ?? definition).validateUpdate?.(object, old, errors, context);
  if (errors.length === 0) definition.canonicalize?.(object);
  return errors;
}

const metadataPath = field('metadata');

function isMetadataFine(
  { namespaced, validateName }: AnyResource,
  checks: readonly MetadataCheck[],
  meta: ObjectMeta,
  old: ObjectMeta,
): boolean {
  const errors = new FieldErrors();
  validateIdentity(meta, { namespaced, validateName: nameIsPathSegment }, metadataPath, errors);
  if (checks.includes('object')) validateIdentity(meta, { namespaced, validateName }, metadataPath, errors);
  validateObjectMetaUpdate(meta, old, metadataPath, errors);
  return errors.length === 0;
}

function validateMetadata(
  { namespaced, validateName }: AnyResource,
  checks: readonly MetadataCheck[],
  meta: ObjectMeta,
  old: ObjectMeta,
  errors: FieldErrors,
): void {
  validateObjectMeta(
    meta,
    { namespaced, validateName: nameIsPathSegment, standardFinalizers: false },
    metadataPath,
    errors,
  );
  validateObjectMetaUpdate(meta, old, metadataPath, errors);
  for (const check of checks) {
    if (check === 'update') validateObjectMetaUpdate(meta, old, metadataPath, errors);
    else validateObjectMeta(meta, { namespaced, validateName }, metadataPath, errors);
  }
}

function metadataChecks(
  definition: AnyResource,
  subresource: SubresourceDefinition<ApiObject> | undefined,
  context: StrategyContext,
): readonly MetadataCheck[] {
  const checks =
    (subresource ?? definition).metadataChecksOnUpdate ??
    (subresource === undefined ? ['update', 'object'] : ['update']);
  return typeof checks === 'function' ? checks(context) : checks;
}

function keepSystemFields(object: ApiObject, old: ApiObject): void {
  const meta = object.metadata;
  const before = old.metadata;
  meta.generation = before.generation;
  meta.uid ||= before.uid;
  if (before.creationTimestamp) meta.creationTimestamp = before.creationTimestamp;
  // An update can neither end a deletion nor, as validation says, start one.
  if (before.deletionTimestamp) meta.deletionTimestamp = before.deletionTimestamp;
  meta.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  delete meta.selfLink;
  for (const key of ['generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const)
    if (meta[key] === undefined) delete meta[key];
}

function keepStatus(definition: AnyResource, object: WithStatus, old: WithStatus): void {
  if (definition.subresources?.some((s) => s.name === 'status')) object.status = old.status;
}

function keepAllButStatus(object: ApiObject, old: ApiObject): void {
  const target = object as unknown as Record<string, unknown>;
  const source = old as unknown as Record<string, unknown>;
  for (const key of new Set([...Object.keys(target), ...Object.keys(source)])) {
    if (key === 'metadata' || key === 'status') continue;
    if (source[key] === undefined) delete target[key];
    else target[key] = source[key];
  }
}

function advanceGeneration(definition: AnyResource, object: ApiObject, old: ApiObject): void {
  if (definition.generationOf === undefined) return;
  if (!deepEqual(definition.generationOf(object), definition.generationOf(old)))
    object.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
}
