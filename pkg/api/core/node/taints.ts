import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStruct, type GoText } from '../../../apimachinery/values/go-format.ts';
import { isValidLabelValue } from '../../../apimachinery/names/names.ts';
import { validateLabelName } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { Taint } from '../../../generated/types/core-v1.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTaints(taints: readonly Taint[], path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, taint] of taints.entries()) {
    const taintPath = path.index(i);
    const value = taint.value ?? '';
    validateLabelName(taint.key, taintPath.child('key'), errors);
    const problems = isValidLabelValue(value);
    if (problems.length > 0) errors.invalid(taintPath.child('value'), value, problems.join(';'));
    validateEffect(taint.effect, taintPath.child('effect'), errors);
    const id = `${taint.effect}\n${taint.key}`;
    if (seen.has(id)) errors.duplicate(taintPath, goTaint(taint), 'taints must be unique by key and effect pair');
    seen.add(id);
  }
}

function validateEffect(effect: string, path: FieldPath, errors: FieldErrors): void {
  if (effect === '') errors.required(path);
  else if (!EFFECTS.includes(effect)) errors.notSupported(path, effect, EFFECTS);
}

function goTaint({ key, value = '', effect, timeAdded }: Taint): GoText {
  return goStruct({ Key: key, Value: value, Effect: effect, TimeAdded: timeAdded ?? null });
}
