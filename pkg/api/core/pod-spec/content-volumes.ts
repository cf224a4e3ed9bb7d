import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  ImageVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  SecretVolumeSource,
} from '../../../generated/types/core-v1.ts';
import { validateDownwardFile } from './downward-api.ts';
import { validateKeyToPath } from './key-to-path.ts';
import { validateFileMode } from './local-path.ts';
import { validatePullPolicy } from './pull-policy.ts';
import { validateProjections } from './projections.ts';

/** Volumes whose files come from the API: secrets, config maps, the pod's own fields, and mixtures of them. */

export function validateSecretSource(source: SecretVolumeSource, path: FieldPath, errors: FieldErrors): void {
  if (!source.secretName) errors.required(path.child('secretName'));
  validateFileMode(source.defaultMode, path.child('defaultMode'), errors);
  validateKeysToPaths(source.items, path.child('items'), errors);
}

export function validateConfigMapSource(source: ConfigMapVolumeSource, path: FieldPath, errors: FieldErrors): void {
  if (!source.name) errors.required(path.child('name'));
  validateFileMode(source.defaultMode, path.child('defaultMode'), errors);
  validateKeysToPaths(source.items, path.child('items'), errors);
}

function validateKeysToPaths(items: readonly KeyToPath[] | undefined, path: FieldPath, errors: FieldErrors): void {
  for (const [i, item] of (items ?? []).entries()) validateKeyToPath(item, path.index(i), errors);
}

export function validateDownwardApiSource(source: DownwardAPIVolumeSource, path: FieldPath, errors: FieldErrors): void {
  validateFileMode(source.defaultMode, path.child('defaultMode'), errors);
  // Without the item's index in the path, as Kubernetes does.
  for (const file of source.items ?? []) validateDownwardFile(file, path, errors);
}

export function validateProjectedSource(source: ProjectedVolumeSource, path: FieldPath, errors: FieldErrors): void {
  validateFileMode(source.defaultMode, path.child('defaultMode'), errors);
  validateProjections(source.sources ?? [], path, errors);
}

export function validateImageSource(source: ImageVolumeSource, path: FieldPath, errors: FieldErrors): void {
  const reference = source.reference ?? '';
  if (reference === '') errors.required(path.child('reference'));
  else if (reference.trim() !== reference)
    errors.invalid(path.child('reference'), reference, 'must not have leading or trailing whitespace');
  validatePullPolicy(source.pullPolicy ?? '', path.child('pullPolicy'), errors);
}
