import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isDns1035Label } from '../../../apimachinery/names/names.ts';
import type { CustomResourceDefinitionNames } from '../../../generated/types/apiextensions-v1.ts';

/** Checks names where they are given: those of a spec are also required, those of a status are optional. */
export function validateNames(names: CustomResourceDefinitionNames, path: FieldPath, errors: FieldErrors): void {
  for (const name of ['plural', 'singular'] as const) validateLabel(names[name], '', path.child(name), errors);
  for (const name of ['kind', 'listKind'] as const) {
    validateLabel(names[name], 'may have mixed case, but should otherwise match: ', path.child(name), errors);
  }
  for (const [i, name] of (names.shortNames ?? []).entries())
    validateLabel(name, '', path.child('shortNames').index(i), errors, true);
  if (names.kind !== '' && names.kind === names.listKind) {
    errors.invalid(path.child('listKind'), names.listKind, 'kind and listKind may not be the same');
  }
  for (const [i, name] of (names.categories ?? []).entries())
    validateLabel(name, '', path.child('categories').index(i), errors, true);
}

export function validateNamesPresent(names: CustomResourceDefinitionNames, path: FieldPath, errors: FieldErrors): void {
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const)
    if (!names[name]) errors.required(path.child(name));
}

/** `words` prefix the error; with them, case does not matter. */
function validateLabel(
  name: string | undefined,
  words: string,
  path: FieldPath,
  errors: FieldErrors,
  required = false,
): void {
  if (!name && !required) return;
  const problems = isDns1035Label(words === '' ? name! : name!.toLowerCase());
  if (problems.length > 0) errors.invalid(path, name, words + problems.join(','));
}
