import { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { ObjectMeta } from '../../../apimachinery/meta/object.ts';
import type { Volume } from '../../../generated/types/core-v1.ts';
import { validateDns1123Label } from '../../validation/names.ts';
import { validateVolumeSource } from './volume-source.ts';

/** The well-formed volumes of a pod by name: those that containers can mount. */
export type Volumes = ReadonlyMap<string, Volume>;

/**
 * Checks a pod's volumes. `meta` is the pod's metadata, undefined in templates: the claims of ephemeral volumes carry
 * the pod's name.
 */
export function validateVolumes(
  volumes: readonly Volume[],
  meta: ObjectMeta | undefined,
  path: FieldPath,
  errors: FieldErrors,
): Volumes {
  const created = createdClaims(volumes, meta);
  const known = new Map<string, Volume>();
  for (const [i, volume] of volumes.entries()) {
    const at = path.index(i);
    const found = new FieldErrors();
    validateVolumeSource(volume, meta, at, found);
    if (volume.name === '') found.required(at.child('name'));
    else validateDns1123Label(volume.name, at.child('name'), found);
    if (known.has(volume.name)) found.duplicate(at.child('name'), volume.name);
    if (found.length === 0) known.set(volume.name, volume);
    else errors.add(found);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && created.has(claim)) {
      errors.invalid(
        at.child('persistentVolumeClaim', 'claimName'),
        claim,
        'must not reference a PVC that gets created for an ephemeral volume',
      );
    }
  }
  return known;
}

function createdClaims(volumes: readonly Volume[], meta: ObjectMeta | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  if (!meta?.name) return names;
  for (const volume of volumes) if (volume.ephemeral !== undefined) names.add(`${meta.name}-${volume.name}`);
  return names;
}
