import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { parseQuantity } from '../../../apimachinery/values/quantity.ts';
import type {
  DownwardAPIVolumeFile,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '../../../generated/types/core-v1.ts';
import { validateQualifiedName } from '../../validation/names.ts';
import { validateFileMode, validateLocalNonReservedPath } from './local-path.ts';

/** References from a pod to its own fields and to the resources of its containers. */

export const ENV_FIELD_PATHS: ReadonlySet<string> = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);
const VOLUME_FIELD_PATHS: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]);

/** The valid v1 field paths, before a use restricts them; `spec.host` is the old name of `spec.nodeName`. */
const KNOWN_FIELD_PATHS: ReadonlySet<string> = new Set([
  ...ENV_FIELD_PATHS,
  ...VOLUME_FIELD_PATHS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

const RESOURCE_FIELDS: ReadonlySet<string> = new Set([
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]);
const HUGE_PAGES_FIELD = /^(?:limits|requests)\.hugepages-/;

const CPU_DIVISORS = ['1m', '1'];
const BYTE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

export function validateObjectFieldSelector(
  selector: ObjectFieldSelector,
  allowed: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { apiVersion, fieldPath } = selector;
  if (!apiVersion) return errors.required(path.child('apiVersion'));
  if (fieldPath === '') return errors.required(path.child('fieldPath'));
  if (apiVersion !== 'v1')
    return errors.invalid(
      path.child('fieldPath'),
      fieldPath,
      `error converting fieldPath: unsupported pod version: ${apiVersion}`,
    );
  const open = fieldPath.endsWith("']") ? fieldPath.slice(0, -2).indexOf("['") : -1;
  if (open > 0)
    return validateSubscript(fieldPath.slice(0, open), fieldPath.slice(open + 2, -2), fieldPath, path, errors);
  if (fieldPath !== 'spec.host' && !KNOWN_FIELD_PATHS.has(fieldPath)) {
    return errors.invalid(
      path.child('fieldPath'),
      fieldPath,
      `error converting fieldPath: field label not supported: ${fieldPath}`,
    );
  }
  const name = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  if (!allowed.has(name)) errors.notSupported(path.child('fieldPath'), name, [...allowed].sort());
}

function validateSubscript(
  name: string,
  subscript: string,
  fieldPath: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name === 'metadata.annotations') validateQualifiedName(subscript.toLowerCase(), path, errors);
  else if (name === 'metadata.labels') validateQualifiedName(subscript, path, errors);
  else
    errors.invalid(
      path.child('fieldPath'),
      fieldPath,
      `error converting fieldPath: field label does not support subscript: ${fieldPath}`,
    );
}

/** `needsContainer`: volumes belong to no container, so that they must name one. */
export function validateResourceFieldSelector(
  selector: ResourceFieldSelector,
  needsContainer: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { resource } = selector;
  if (needsContainer && !selector.containerName) errors.required(path.child('containerName'));
  else if (resource === '') errors.required(path.child('resource'));
  else if (!RESOURCE_FIELDS.has(resource) && !HUGE_PAGES_FIELD.test(resource))
    errors.notSupported(path.child('resource'), resource, [...RESOURCE_FIELDS]);
  validateDivisor(resource, selector.divisor, path.child('divisor'), errors);
}

function validateDivisor(resource: string, divisor: string, path: FieldPath, errors: FieldErrors): void {
  if (parseQuantity(divisor).isZero()) return;
  const [allowed, ofWhat] = divisorsOf(resource);
  if (allowed.length > 0 && !allowed.includes(divisor)) {
    const values = allowed === CPU_DIVISORS ? '1m and 1' : BYTE_DIVISORS.join(', ');
    errors.invalid(path, resource, `only divisor's values ${values} are supported with the ${ofWhat} resource`);
  }
}

function divisorsOf(resource: string): [string[], string] {
  if (HUGE_PAGES_FIELD.test(resource)) return [BYTE_DIVISORS, 'hugepages'];
  switch (resource.slice(resource.indexOf('.') + 1)) {
    case 'cpu':
      return [CPU_DIVISORS, 'cpu'];
    case 'memory':
      return [BYTE_DIVISORS, 'memory'];
    case 'ephemeral-storage':
      return [BYTE_DIVISORS, 'local ephemeral storage'];
    default:
      return [[], ''];
  }
}

/** One file of a downwardAPI volume or projection. */
export function validateDownwardFile(file: DownwardAPIVolumeFile, path: FieldPath, errors: FieldErrors): void {
  if (file.path === '') errors.required(path.child('path'));
  validateLocalNonReservedPath(file.path, path.child('path'), errors);
  if (file.fieldRef !== undefined) {
    validateObjectFieldSelector(file.fieldRef, VOLUME_FIELD_PATHS, path.child('fieldRef'), errors);
    if (file.resourceFieldRef !== undefined)
      errors.invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
  } else if (file.resourceFieldRef !== undefined) {
    validateResourceFieldSelector(file.resourceFieldRef, true, path.child('resourceFieldRef'), errors);
  } else {
    errors.required(path, 'one of fieldRef and resourceFieldRef is required');
  }
  validateFileMode(file.mode, path.child('mode'), errors);
}
