import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { validateImmutableField, validateLabelName } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { TopologySelectorTerm } from '../../../generated/types/core-v1.ts';
import { type StorageClass, VolumeBindingModeValues } from '../../../generated/types/storage-v1.ts';
import { validateParameters, validateProvisioner } from '../parameters-validation.ts';

const RECLAIM_POLICIES = ['Delete', 'Retain'];

export function validateStorageClass(object: StorageClass, errors: FieldErrors): void {
  validateProvisioner(object.provisioner, field('provisioner'), errors);
  validateParameters(object.parameters, field('parameters'), errors);
  const { reclaimPolicy, volumeBindingMode } = object;
  if (reclaimPolicy && !RECLAIM_POLICIES.includes(reclaimPolicy)) {
    errors.notSupported(field('reclaimPolicy'), reclaimPolicy, RECLAIM_POLICIES);
  }
  if (volumeBindingMode === undefined) errors.required(field('volumeBindingMode'));
  else if (!VolumeBindingModeValues.includes(volumeBindingMode)) {
    errors.notSupported(field('volumeBindingMode'), volumeBindingMode, VolumeBindingModeValues);
  }
  validateTopologies(object.allowedTopologies ?? [], field('allowedTopologies'), errors);
}

export function validateStorageClassUpdate(object: StorageClass, old: StorageClass, errors: FieldErrors): void {
  validateStorageClass(object, errors);
  for (const name of ['parameters', 'provisioner', 'reclaimPolicy'] as const) {
    if (!semanticDeepEqual(object[name], old[name])) errors.forbidden(field(name), `updates to ${name} are forbidden.`);
  }
  validateImmutableField(object.volumeBindingMode, old.volumeBindingMode, field('volumeBindingMode'), errors);
}

function validateTopologies(terms: readonly TopologySelectorTerm[], path: FieldPath, errors: FieldErrors): void {
  // An empty term adds nothing: stock servers report it once for each of the terms, others once for each that came
  // before.
  const seen = new Map([[termKey(new Map()), terms.length]]);
  for (const [i, term] of terms.entries()) {
    const requirements = validateTerm(term, path.index(i).child('matchLabelExpressions'), errors);
    const key = termKey(requirements);
    const before = seen.get(key) ?? 0;
    for (let times = 0; times < before && !errors.full; times++)
      errors.duplicate(path.index(i).child('matchLabelExpressions'), '');
    seen.set(key, before + 1);
  }
}

/** The values that each label may have. */
function validateTerm(term: TopologySelectorTerm, path: FieldPath, errors: FieldErrors): Map<string, Set<string>> {
  const requirements = new Map<string, Set<string>>();
  for (const [i, { key, values }] of (term.matchLabelExpressions ?? []).entries()) {
    const valuesPath = path.index(i).child('values');
    if (!values?.length) errors.required(valuesPath);
    const distinct = new Set<string>();
    for (const [j, value] of (values ?? []).entries()) {
      if (distinct.has(value)) errors.duplicate(valuesPath.index(j), value);
      distinct.add(value);
    }
    validateLabelName(key, path.index(i).child('key'), errors);
    if (requirements.has(key)) errors.duplicate(path.index(i).child('key'), key);
    requirements.set(key, distinct);
  }
  return requirements;
}

/** Equal for terms that mean the same. */
function termKey(requirements: ReadonlyMap<string, ReadonlySet<string>>): string {
  return JSON.stringify(
    [...requirements].map(([key, values]) => [key, [...values].sort()] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
