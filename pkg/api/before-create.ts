import { randomUUID } from 'node:crypto';
import { FieldErrors } from '../apimachinery/errors/field-errors.ts';
import { field } from '../apimachinery/errors/field-path.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { validateObjectMeta } from '../apimachinery/meta/object-meta-validation.ts';
import { generateName } from '../apimachinery/names/rand-suffix.ts';
import { normalize } from '../codec/normalize.ts';
import type { AnyResource, StrategyContext } from './resource-definition.ts';
import { versionSchema } from './scheme.ts';

/** Prepares a client's hub object for validation, in place: system fields, no status, the kind's own preparation. */
export function prepareNew(definition: AnyResource, object: ApiObject, context: StrategyContext): void {
  prepareMetadata(definition, object, context);
  resetStatus(definition, object);
  definition.prepareForCreate?.(object, context);
}

/** Checks a prepared object. One without errors is brought into its canonical form; others must not be stored. */
export function validateNew(definition: AnyResource, object: ApiObject, context: StrategyContext): FieldErrors {
  const errors = new FieldErrors();
  validateObjectMeta(
    object.metadata,
    { namespaced: definition.namespaced, validateName: definition.validateName },
    field('metadata'),
    errors,
  );
  definition.validate?.(object, errors, context);
  if (errors.length === 0) definition.canonicalize?.(object);
  return errors;
}

/** The system fields of a new object; set early, since hooks and plugins read them. */
export function fillSystemFields(object: ApiObject, context: StrategyContext): void {
  const meta = object.metadata;
  meta.creationTimestamp = context.now;
  meta.uid = randomUUID();
  if (meta.generateName && !meta.name) meta.name = generateName(meta.generateName);
}

function prepareMetadata(definition: AnyResource, object: ApiObject, context: StrategyContext): void {
  const meta = object.metadata;
  if (!meta.uid || !meta.creationTimestamp) fillSystemFields(object, context);
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
  delete meta.resourceVersion;
  // Kinds without a generation keep the client's value.
  if (definition.generationOf !== undefined) meta.generation = 1;
}

/** Clients do not set status where it is a subresource. */
function resetStatus(definition: AnyResource, object: ApiObject): void {
  if (definition.keepsStatusOnCreate || !definition.subresources?.some((s) => s.name === 'status')) return;
  (object as { status?: unknown }).status = zeroStatus(definition);
}

function zeroStatus(definition: AnyResource): unknown {
  const hub = definition.versions.find((v) => v.groupVersion === definition.hub)!;
  return normalize<{ status?: unknown }>({}, versionSchema(hub)).status;
}
