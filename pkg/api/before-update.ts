import { deepEqual } from '../apimachinery/deep.ts';
import { FieldErrors } from '../apimachinery/field-errors.ts';
import { field } from '../apimachinery/field-path.ts';
import type { ApiObject } from '../apimachinery/object.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../apimachinery/object-meta-validation.ts';
import { nameIsPathSegment } from '../apimachinery/names.ts';
import type { AnyResource, MetadataCheck, StrategyContext, SubresourceDefinition } from './resource-definition.ts';

type WithStatus = ApiObject & { status?: unknown };

/**
 * Makes the new state of a stored object ready: what this path may not change is taken from `old`, generation follows, everything is
 * checked. `subresource` is the path below the object, if any. Changes `object` in place, never `old`.
 */
export function beforeUpdate(
  definition: AnyResource,
  subresource: SubresourceDefinition<ApiObject> | undefined,
  object: ApiObject,
  old: ApiObject,
  context: StrategyContext,
): FieldErrors {
  keepSystemFields(object, old);
  if (subresource === undefined) keepStatus(definition, object, old);
  else if (subresource.name === 'status') keepAllButStatus(object, old);
  (subresource ?? definition).prepareForUpdate?.(object, old, context);
  if (subresource?.name !== 'status') advanceGeneration(definition, object, old);
  return validateChange(definition, subresource, object, old, context);
}

/** The checks alone, for objects that admission has changed since. */
export function validateChange(
  definition: AnyResource,
  subresource: SubresourceDefinition<ApiObject> | undefined,
  object: ApiObject,
  old: ApiObject,
  context: StrategyContext,
): FieldErrors {
  const errors = new FieldErrors();
  validateObjectMeta(object.metadata, { namespaced: definition.namespaced, validateName: nameIsPathSegment, standardFinalizers: false }, metadataPath, errors);
  validateObjectMetaUpdate(object.metadata, old.metadata, metadataPath, errors);
  for (const check of metadataChecks(definition, subresource, context)) {
    if (check === 'update') validateObjectMetaUpdate(object.metadata, old.metadata, metadataPath, errors);
    else validateObjectMeta(object.metadata, { namespaced: definition.namespaced, validateName: definition.validateName }, metadataPath, errors);
  }
  (subresource ?? definition).validateUpdate?.(object, old, errors, context);
  if (errors.length === 0) definition.canonicalize?.(object);
  return errors;
}

const metadataPath = field('metadata');

function metadataChecks(definition: AnyResource, subresource: SubresourceDefinition<ApiObject> | undefined, context: StrategyContext): readonly MetadataCheck[] {
  const checks = (subresource ?? definition).metadataChecksOnUpdate ?? (subresource === undefined ? ['update', 'object'] : ['update']);
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
  for (const key of ['generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) if (meta[key] === undefined) delete meta[key];
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
  if (!deepEqual(definition.generationOf(object), definition.generationOf(old))) object.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
}
