import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isConfigMapKey, isEnvVarName, nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { EnvFromSource, EnvVar, EnvVarSource, FileKeySelector } from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';
import { ENV_FIELD_PATHS, validateObjectFieldSelector, validateResourceFieldSelector } from './downward-api.ts';
import { validateLocalNonReservedPath } from './local-path.ts';

/** A container's environment variables. */
export function validateEnv(variables: readonly EnvVar[], path: FieldPath, errors: FieldErrors): void {
  for (const [i, variable] of variables.entries()) {
    const at = path.index(i);
    if (variable.name === '') errors.required(at.child('name'));
    else reportProblems(isEnvVarName(variable.name), variable.name, at.child('name'), errors);
    if (variable.valueFrom !== undefined)
      validateValueFrom(variable.valueFrom, variable.value ?? '', at.child('valueFrom'), errors);
  }
}

function validateValueFrom(source: EnvVarSource, value: string, path: FieldPath, errors: FieldErrors): void {
  let sources = 0;
  if (source.fieldRef !== undefined) {
    sources++;
    validateObjectFieldSelector(source.fieldRef, ENV_FIELD_PATHS, path.child('fieldRef'), errors);
  }
  if (source.resourceFieldRef !== undefined) {
    sources++;
    validateResourceFieldSelector(source.resourceFieldRef, false, path.child('resourceFieldRef'), errors);
  }
  if (source.configMapKeyRef !== undefined) {
    sources++;
    validateKeySelector(source.configMapKeyRef, path.child('configMapKeyRef'), errors);
  }
  if (source.secretKeyRef !== undefined) {
    sources++;
    validateKeySelector(source.secretKeyRef, path.child('secretKeyRef'), errors);
  }
  if (source.fileKeyRef !== undefined) {
    sources++;
    validateFileKeySelector(source.fileKeyRef, path.child('fileKeyRef'), errors);
  }
  if (sources === 0)
    errors.invalid(
      path,
      '',
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
    );
  else if (value !== '') errors.invalid(path, '', 'may not be specified when `value` is not empty');
  else if (sources > 1) errors.invalid(path, '', 'may not have more than one field specified at a time');
}

function validateKeySelector(selector: { name?: string; key: string }, path: FieldPath, errors: FieldErrors): void {
  const name = selector.name ?? '';
  reportProblems(nameIsDns1123Subdomain(name, false), name, path.child('name'), errors);
  if (selector.key === '') errors.required(path.child('key'));
  else reportProblems(isConfigMapKey(selector.key), selector.key, path.child('key'), errors);
}

function validateFileKeySelector(selector: FileKeySelector, path: FieldPath, errors: FieldErrors): void {
  if (selector.volumeName === '') errors.required(path.child('volumeName'));
  if (selector.path === '') errors.required(path.child('path'));
  else validateLocalNonReservedPath(selector.path, path.child('path'), errors);
  if (selector.key === '') errors.required(path.child('key'));
  else reportProblems(isEnvVarName(selector.key), selector.key, path.child('key'), errors);
}

/** The sources from which a container takes its whole environment. */
export function validateEnvFrom(sources: readonly EnvFromSource[], path: FieldPath, errors: FieldErrors): void {
  for (const [i, source] of sources.entries()) {
    const at = path.index(i);
    if (source.prefix) reportProblems(isEnvVarName(source.prefix), source.prefix, at.child('prefix'), errors);
    let count = 0;
    for (const kind of ['configMapRef', 'secretRef'] as const) {
      const reference = source[kind];
      if (reference === undefined) continue;
      count++;
      validateReferenceName(reference.name ?? '', at.child(kind, 'name'), errors);
    }
    // The list is named, not its item, as Kubernetes does.
    if (count === 0) errors.invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`');
    else if (count > 1) errors.invalid(path, '', 'may not have more than one field specified at a time');
  }
}

function validateReferenceName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path);
  else reportProblems(nameIsDns1123Subdomain(name, true), name, path, errors);
}
