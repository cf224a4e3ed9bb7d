import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { regexError } from '../../apimachinery/names/name-problems.ts';
import { validateDns1123Label, validateDns1123Subdomain } from '../validation/names.ts';
import { validateCsiDriverName } from '../storage/csi-driver-name.ts';

const POOL_NAME_BYTES_MAX = 253;
const DOMAIN_BYTES_MAX = 63;
const IDENTIFIER_BYTES_MAX = 32;
const IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';
const IDENTIFIER_REGEX = new RegExp(`^${IDENTIFIER}$`);
const IDENTIFIER_PROBLEM = regexError(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  IDENTIFIER,
  'my_name',
  'MY_NAME',
  'MyName',
);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The longest name of an attribute or capacity with its domain. */
export const QUALIFIED_NAME_BYTES_MAX = DOMAIN_BYTES_MAX + 1 + IDENTIFIER_BYTES_MAX;

/** Drivers of devices are named like those of volumes. */
export const validateDriverName = validateCsiDriverName;
export const validateDeviceName = validateDns1123Label;
export const validateRequestName = validateDns1123Label;

/** DNS subdomains, joined by slashes. */
export function validatePoolName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') return errors.required(path);
  if (Buffer.byteLength(name) > POOL_NAME_BYTES_MAX) return errors.tooLong(path, name, POOL_NAME_BYTES_MAX);
  for (const part of name.split('/')) validateDns1123Subdomain(part, path, errors);
}

export function validateDeviceClassName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path);
  else validateDns1123Subdomain(name, path, errors);
}

/** The name of an attribute or capacity: `model`, which belongs to the driver, or `example.com/model`. */
export function validateQualifiedDeviceName(name: string, path: FieldPath, errors: FieldErrors): void {
  const parts = name.split('/');
  if (parts.length > 2) return errors.invalid(path, name, 'must not contain more than one slash');
  const [domain = '', id] = parts;
  if (id === undefined) return validateIdentifier(domain, path, errors);
  if (domain === '') errors.invalid(path, '', 'the domain must not be empty');
  else validateDriverName(domain, path, errors);
  if (id === '') errors.invalid(path, '', 'the name must not be empty');
  else validateIdentifier(id, path, errors);
}

export function validateFullyQualifiedDeviceName(name: string, path: FieldPath, errors: FieldErrors): void {
  validateQualifiedDeviceName(name, path, errors);
  if (!name.includes('/'))
    errors.invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash');
}

function validateIdentifier(id: string, path: FieldPath, errors: FieldErrors): void {
  if (Buffer.byteLength(id) > IDENTIFIER_BYTES_MAX) errors.tooLong(path, id, IDENTIFIER_BYTES_MAX);
  if (!IDENTIFIER_REGEX.test(id)) errors.invalid(path, id, IDENTIFIER_PROBLEM);
}

/** Tells apart the shares of one device. */
export function validateShareId(id: string, path: FieldPath, errors: FieldErrors): void {
  if (UUID.test(id)) return;
  errors.invalid(
    path,
    id,
    'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters',
  );
}
