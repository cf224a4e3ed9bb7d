import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isValidPortName, isValidPortNum, nameIsDns1035Label } from '../../../apimachinery/names/names.ts';
import type { IngressBackend, IngressServiceBackend } from '../../../generated/types/networking-v1.ts';
import { validateObjectReference } from '../object-reference-validation.ts';

/** A backend is either a service with a port or a reference to some other object. */
export function validateBackend(backend: IngressBackend, path: FieldPath, errors: FieldErrors): void {
  const { resource, service } = backend;
  if (resource !== undefined && service !== undefined)
    return errors.invalid(path, '', 'cannot set both resource and service backends');
  if (resource !== undefined) return validateObjectReference(resource, path.child('resource'), errors);
  if (service !== undefined) return validateService(service, path, errors);
  errors.invalid(path, '', 'resource or service backend is required');
}

function validateService(service: IngressServiceBackend, path: FieldPath, errors: FieldErrors): void {
  const namePath = path.child('service', 'name');
  if (service.name === '') errors.required(namePath);
  else for (const problem of nameIsDns1035Label(service.name, false)) errors.invalid(namePath, service.name, problem);
  const { name, number } = service.port;
  if (name && number) errors.invalid(path, '', 'cannot set both port name & port number');
  else if (name)
    for (const problem of isValidPortName(name)) errors.invalid(path.child('service', 'port', 'name'), name, problem);
  else if (number)
    for (const problem of isValidPortNum(number))
      errors.invalid(path.child('service', 'port', 'number'), number, problem);
  else errors.required(path, 'port name or number is required');
}
