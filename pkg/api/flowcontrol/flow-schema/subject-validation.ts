import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Label, nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { ServiceAccountSubject, Subject } from '../../../generated/types/flowcontrol-v1.ts';

/** The member of each kind of subject. */
const MEMBERS = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;

export function validateSubject(subject: Subject, path: FieldPath, errors: FieldErrors): void {
  if (!Object.hasOwn(MEMBERS, subject.kind))
    return errors.notSupported(path.child('kind'), subject.kind, ['Group', 'ServiceAccount', 'User']);
  const own = MEMBERS[subject.kind as keyof typeof MEMBERS];
  const value = subject[own];
  if (value === undefined)
    errors.required(path.child(own), `${own} is required when subject kind is '${subject.kind}'`);
  else if (own === 'serviceAccount') validateServiceAccount(value as ServiceAccountSubject, path.child(own), errors);
  else if (value.name === '') errors.required(path.child(own, 'name'));
  for (const [kind, member] of Object.entries(MEMBERS)) {
    if (member !== own && subject[member] !== undefined) {
      errors.forbidden(path.child(member), `${member} is forbidden when subject kind is not '${kind}'`);
    }
  }
}

function validateServiceAccount(
  { name, namespace }: ServiceAccountSubject,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name === '') errors.required(path.child('name'));
  else if (name !== '*')
    for (const problem of nameIsDns1123Subdomain(name, false)) errors.invalid(path.child('name'), name, problem);
  if (namespace === '') errors.required(path.child('namespace'), 'must specify namespace for service account');
  else
    for (const problem of nameIsDns1123Label(namespace, false))
      errors.invalid(path.child('namespace'), namespace, problem);
}
