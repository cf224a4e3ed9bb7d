/**
 * Validation of `metadata`, the same for every kind. The messages are those of Kubernetes 1.25. Updates expect that
 * fields set by the server (uid, creation and deletion times) were already copied where the client left them out.
 */
import { semanticDeepEqual } from '../json/deep.ts';
import type { FieldErrors } from '../errors/field-errors.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { goQuote, goStringSlice, goStruct, goText, type GoText } from '../values/go-format.ts';
import { validateManagedFields } from './managed-fields-validation.ts';
import type { NameCheck } from '../names/names.ts';
import { isQualifiedName, isValidLabelValue, nameIsDns1123Label } from '../names/names.ts';
import type { ObjectMeta, OwnerReference } from './object.ts';

const ANNOTATIONS_BYTES_MAX = 256 * 1024;
export const FIELD_IMMUTABLE = 'field is immutable';
export const FINALIZER_ORPHAN = 'orphan';
export const FINALIZER_FOREGROUND = 'foregroundDeletion';

const STANDARD_FINALIZERS = new Set(['kubernetes', FINALIZER_ORPHAN, FINALIZER_FOREGROUND]);

export interface ObjectMetaRules {
  /** Whether the kind is namespaced. */
  namespaced: boolean;
  validateName: NameCheck;
  /**
   * Whether finalizers without a domain must be standard ones. True for all but a few kinds of API groups with
   * different rules.
   */
  standardFinalizers?: boolean;
}

/** Checks the metadata of a new object; a name was already made from `generateName`. */
export function validateObjectMeta(
  meta: ObjectMeta,
  rules: ObjectMetaRules,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateIdentity(meta, rules, path, errors);
  validateSharedFields(meta, rules.standardFinalizers ?? true, path, errors);
}

/** The part of `validateObjectMeta` that `validateObjectMetaUpdate` does not repeat. */
export function validateIdentity(
  meta: ObjectMeta,
  { validateName, namespaced }: ObjectMetaRules,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const generateName = meta.generateName ?? '';
  if (generateName !== '') {
    for (const problem of validateName(generateName, true))
      errors.invalid(path.child('generateName'), generateName, problem);
  }
  const name = meta.name ?? '';
  if (name === '') errors.required(path.child('name'), 'name or generateName is required');
  else for (const problem of validateName(name, false)) errors.invalid(path.child('name'), name, problem);
  validateNamespace(meta.namespace ?? '', namespaced, path.child('namespace'), errors);
  validateNonNegative(meta.generation, path.child('generation'), errors);
}

/** Checks for both creation and update. */
function validateSharedFields(
  meta: ObjectMeta,
  standardFinalizers: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateLabels(meta.labels, path.child('labels'), errors);
  validateAnnotations(meta.annotations, path.child('annotations'), errors);
  validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences'), errors);
  const finalizersPath = path.child('finalizers');
  validateFinalizers(meta.finalizers, finalizersPath, errors);
  validateManagedFields(meta.managedFields, path.child('managedFields'), errors);
  if (!standardFinalizers) return;
  for (const [i, finalizer] of (meta.finalizers ?? []).entries())
    validateStandardFinalizer(finalizer, finalizersPath.index(i), errors);
}

function validateNamespace(namespace: string, namespaced: boolean, path: FieldPath, errors: FieldErrors): void {
  if (!namespaced) {
    if (namespace !== '') errors.forbidden(path, 'not allowed on this type');
    return;
  }
  if (namespace === '') errors.required(path);
  else for (const problem of nameIsDns1123Label(namespace, false)) errors.invalid(path, namespace, problem);
}

export function validateNonNegative(value: number | bigint | undefined, path: FieldPath, errors: FieldErrors): void {
  if (value !== undefined && value < 0) errors.invalid(path, value, 'must be greater than or equal to 0');
}

/** Checks one label or annotation key. */
export function validateLabelName(name: string, path: FieldPath, errors: FieldErrors): void {
  for (const problem of isQualifiedName(name)) errors.invalid(path, name, problem);
}

export function validateLabels(
  labels: Record<string, string> | null | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [key, value] of Object.entries(labels ?? {})) {
    validateLabelName(key, path, errors);
    for (const problem of isValidLabelValue(value)) errors.invalid(path, value, problem);
  }
}

/** Keys are label keys in any case; all keys and values together hold 256 KiB at most. */
export function validateAnnotations(
  annotations: Record<string, string> | null | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    for (const problem of isQualifiedName(key.toLowerCase())) errors.invalid(path, key, problem);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > ANNOTATIONS_BYTES_MAX) errors.tooLong(path, '', ANNOTATIONS_BYTES_MAX);
}

export function validateOwnerReferences(
  references: OwnerReference[] | null | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const all = references ?? [];
  let controller = '';
  let quoted: GoText | undefined;
  for (const reference of all) {
    validateOwnerReference(reference, path, errors);
    if (reference.controller !== true) continue;
    const current = `${reference.kind}/${reference.name}`;
    if (controller === '') {
      controller = current;
    } else {
      // Each further controller is an error that quotes the whole list: printed once, not for each.
      quoted ??= goText(`[${all.map((each) => goOwnerReference(each).text).join(',')}]`);
      errors.invalid(
        path,
        quoted,
        `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`,
      );
    }
  }
}

function validateOwnerReference(reference: OwnerReference, path: FieldPath, errors: FieldErrors): void {
  const apiVersion = reference.apiVersion ?? '';
  const slash = apiVersion.indexOf('/');
  // A text with two slashes has no version, as one without anything after the slash.
  const version = apiVersion.includes('/', slash + 1) && slash >= 0 ? '' : apiVersion.slice(slash + 1);
  if (version === '') errors.invalid(path.child('apiVersion'), apiVersion, 'version must not be empty');
  for (const name of ['kind', 'name', 'uid'] as const) {
    if ((reference[name] ?? '') === '') errors.invalid(path.child(name), '', `${name} must not be empty`);
  }
  if (apiVersion === 'v1' && reference.kind === 'Event') {
    errors.invalid(path, goOwnerReference(reference), '/v1, Kind=Event is disallowed from being an owner');
  }
}

function goOwnerReference({
  apiVersion = '',
  kind = '',
  name = '',
  uid = '',
  controller,
  blockOwnerDeletion,
}: OwnerReference): GoText {
  return goStruct({
    apiVersion,
    kind,
    name,
    uid,
    ...(controller === undefined ? {} : { controller }),
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  });
}

/** Finalizers are label keys; `orphan` and `foregroundDeletion` exclude each other. */
function validateFinalizers(finalizers: string[] | null | undefined, path: FieldPath, errors: FieldErrors): void {
  const list = finalizers ?? [];
  for (const finalizer of list) validateFinalizerName(finalizer, path, errors);
  if (list.includes(FINALIZER_ORPHAN) && list.includes(FINALIZER_FOREGROUND)) {
    errors.invalid(
      path,
      goStringSlice(list),
      `finalizer ${FINALIZER_ORPHAN} and ${FINALIZER_FOREGROUND} cannot be both set`,
    );
  }
}

export function validateFinalizerName(finalizer: string, path: FieldPath, errors: FieldErrors): void {
  for (const problem of isQualifiedName(finalizer)) errors.invalid(path, finalizer, problem);
}

/** A finalizer without a domain is one of the standard ones. */
export function validateStandardFinalizer(finalizer: string, path: FieldPath, errors: FieldErrors): void {
  if (finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return;
  errors.invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified');
}

export interface ObjectMetaUpdateRules {
  /** As in `ObjectMetaRules`. */
  standardFinalizers?: boolean;
}

/** Checks the fields of metadata that are immutable, and those that an update adds. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  path: FieldPath,
  errors: FieldErrors,
  rules: ObjectMetaUpdateRules = {},
): void {
  if (old.deletionTimestamp != null)
    validateNoNewFinalizers(meta.finalizers, old.finalizers, path.child('finalizers'), errors);
  if ((meta.resourceVersion ?? '') === '')
    errors.invalid(path.child('resourceVersion'), '', 'must be specified for an update');
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.invalid(path.child('generation'), meta.generation ?? 0, 'must not be decremented');
  }
  for (const name of ['name', 'namespace', 'uid'] as const) {
    validateImmutableField(meta[name] ?? '', old[name] ?? '', path.child(name), errors);
  }
  validateImmutableField(
    goTime(meta.creationTimestamp),
    goTime(old.creationTimestamp),
    path.child('creationTimestamp'),
    errors,
  );
  validateImmutableField(
    meta.deletionTimestamp ?? null,
    old.deletionTimestamp ?? null,
    path.child('deletionTimestamp'),
    errors,
  );
  validateImmutableField(
    meta.deletionGracePeriodSeconds,
    old.deletionGracePeriodSeconds,
    path.child('deletionGracePeriodSeconds'),
    errors,
  );
  validateSharedFields(meta, rules.standardFinalizers ?? true, path, errors);
}

function goTime(time: string | null | undefined): string | null {
  return time == null || time === '' ? null : time;
}

/** An object that is being deleted takes no further finalizers. */
function validateNoNewFinalizers(
  finalizers: string[] | undefined,
  old: string[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const known = new Set(old ?? []);
  const extra = [...new Set((finalizers ?? []).filter((finalizer) => !known.has(finalizer)))].sort();
  if (extra.length === 0) return;
  errors.forbidden(
    path,
    'no new finalizers can be added if the object is being deleted, found new finalizers ' +
      `[]string{${extra.map(goQuote).join(', ')}}`,
  );
}

/** Both values are the same; null, absent and empty are equal. */
export function validateImmutableField(value: unknown, old: unknown, path: FieldPath, errors: FieldErrors): void {
  if (!semanticDeepEqual(value, old)) errors.invalid(path, value, FIELD_IMMUTABLE);
}
