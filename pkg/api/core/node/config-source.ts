import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStruct } from '../../../apimachinery/values/go-format.ts';
import {
  isConfigMapKey,
  type NameCheck,
  nameIsDns1123Label,
  nameIsDns1123Subdomain,
} from '../../../apimachinery/names/names.ts';
import type {
  ConfigMapNodeConfigSource,
  NodeConfigSource,
  NodeConfigStatus,
} from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';

/** Where agents of releases before 1.24 took their configuration from. */

type ConfigMapCheck = (source: ConfigMapNodeConfigSource, path: FieldPath, errors: FieldErrors) => void;

export function validateConfigSource(source: NodeConfigSource, path: FieldPath, errors: FieldErrors): void {
  validateOne(source, path, errors, (configMap, configMapPath) => {
    if (configMap.uid) errors.forbidden(configMapPath.child('uid'), 'uid must not be set in spec');
    if (configMap.resourceVersion)
      errors.forbidden(configMapPath.child('resourceVersion'), 'resourceVersion must not be set in spec');
  });
}

export function validateConfigStatus(status: NodeConfigStatus, path: FieldPath, errors: FieldErrors): void {
  for (const key of ['assigned', 'active', 'lastKnownGood'] as const) {
    const source = status[key];
    if (source === undefined) continue;
    validateOne(source, path.child(key), errors, (configMap, configMapPath) => {
      if (!configMap.uid) errors.required(configMapPath.child('uid'), 'uid must be set in status');
      if (!configMap.resourceVersion)
        errors.required(configMapPath.child('resourceVersion'), 'resourceVersion must be set in status');
    });
  }
}

function validateOne(
  { configMap }: NodeConfigSource,
  path: FieldPath,
  errors: FieldErrors,
  validateOrigin: ConfigMapCheck,
): void {
  if (configMap === undefined)
    return errors.invalid(path, goStruct({ ConfigMap: null }), 'exactly one reference subfield must be non-nil');
  const configMapPath = path.child('configMap');
  validateOrigin(configMap, configMapPath, errors);
  validateName(
    configMap.namespace,
    'namespace must be set',
    nameIsDns1123Label,
    configMapPath.child('namespace'),
    errors,
  );
  validateName(configMap.name, 'name must be set', nameIsDns1123Subdomain, configMapPath.child('name'), errors);
  const keyPath = configMapPath.child('kubeletConfigKey');
  if (configMap.kubeletConfigKey === '') errors.required(keyPath, 'kubeletConfigKey must be set');
  else reportProblems(isConfigMapKey(configMap.kubeletConfigKey), configMap.kubeletConfigKey, keyPath, errors);
}

function validateName(name: string, whenEmpty: string, check: NameCheck, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path, whenEmpty);
  else reportProblems(check(name, false), name, path, errors);
}
