import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goQuote, goStruct } from '../../../apimachinery/values/go-format.ts';
import { formatIp } from '../../../apimachinery/names/ip.ts';
import { isDns1123Subdomain, nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { IPAddress, ParentReference } from '../../../generated/types/networking-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { NAME_COLUMN } from '../../table-columns.ts';
import { parseStrictIp } from '../strict-addresses.ts';

/** The name is the address itself, in its canonical form. */
function nameProblems(name: string): string[] {
  const { address, problem } = parseStrictIp(name);
  if (problem !== undefined) return [problem];
  const canonical = formatIp(address);
  return canonical === name ? [] : [`must be in canonical form (${goQuote(canonical)})`];
}

function validateIpAddress({ spec }: IPAddress, errors: FieldErrors): void {
  const path = field('spec', 'parentRef');
  const parent = spec.parentRef;
  if (parent === undefined) return errors.required(path);
  if (parent.group)
    for (const problem of isDns1123Subdomain(parent.group)) errors.invalid(path.child('group'), parent.group, problem);
  for (const name of ['resource', 'name', 'namespace'] as const) {
    const value = parent[name] ?? '';
    if (value === '' && name !== 'namespace') errors.required(path.child(name));
    else for (const problem of nameIsPathSegment(value, false)) errors.invalid(path.child(name), value, problem);
  }
}

function validateIpAddressUpdate(address: IPAddress, old: IPAddress, errors: FieldErrors): void {
  if (semanticDeepEqual(address.spec.parentRef, old.spec.parentRef)) return;
  errors.invalid(field('spec', 'parentRef'), goParentReference(address.spec.parentRef), FIELD_IMMUTABLE);
}

function goParentReference(parent: ParentReference | undefined): unknown {
  if (parent === undefined) return null;
  const { group = '', resource = '', namespace = '', name = '' } = parent;
  return goStruct({ Group: group, Resource: resource, Namespace: namespace, Name: name });
}

function parentText(parent: ParentReference | undefined): string {
  if (parent === undefined) return '<none>';
  const resource = parent.group ? `${parent.resource}.${parent.group}` : parent.resource;
  return [resource, parent.namespace, parent.name].filter(Boolean).join('/');
}

/** One allocated address, and its owner. */
export const ipAddress = defineResource<IPAddress>({
  group: 'networking.k8s.io',
  resource: 'ipaddresses',
  kind: 'IPAddress',
  singular: 'ipaddress',
  shortNames: ['ip'],
  namespaced: false,
  hub: 'networking.k8s.io/v1',
  storageVersion: 'networking.k8s.io/v1',
  storagePath: 'ipaddresses',
  versions: [
    { groupVersion: 'networking.k8s.io/v1', message: 'networking/v1.IPAddress' },
    { groupVersion: 'networking.k8s.io/v1beta1', message: 'networking/v1beta1.IPAddress' },
  ],
  validateName: nameProblems,
  validate: validateIpAddress,
  validateUpdate: validateIpAddressUpdate,
  metadataChecksOnUpdate: ['update'],
  table: {
    columns: [NAME_COLUMN, { name: 'ParentRef', type: 'string', description: 'Object that the address belongs to.' }],
    row: ({ metadata, spec }) => ({ cells: [metadata.name ?? '', parentText(spec.parentRef)] }),
  },
});
