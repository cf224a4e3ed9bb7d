import type { FieldErrors } from '../../../apimachinery/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/field-path.ts';
import { goQuote, goStringSlice } from '../../../apimachinery/go-format.ts';
import { formatIp, parseCidr, parseIp } from '../../../apimachinery/ip.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names.ts';
import { validateImmutableField } from '../../../apimachinery/object-meta-validation.ts';
import type { ServiceCIDR } from '../../../generated/types/networking-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';

const ONE_PER_FAMILY = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';

function validateServiceCidr({ spec }: ServiceCIDR, errors: FieldErrors): void {
  const path = field('spec', 'cidrs');
  const cidrs = spec.cidrs ?? [];
  if (cidrs.length === 0) return errors.required(path, 'at least one CIDR required');
  if (cidrs.length > 2) return errors.invalid(path, goStringSlice(cidrs), 'may only hold up to 2 values');
  if (cidrs.length === 2) {
    const [first, second] = cidrs.map(parseCidr);
    if (first !== undefined && second !== undefined && first.base.length === second.base.length) {
      errors.invalid(path, goStringSlice(cidrs), ONE_PER_FAMILY);
    }
  }
  for (const [i, cidr] of cidrs.entries()) validateCidr(cidr, path.index(i), errors);
}

function validateCidr(text: string, path: FieldPath, errors: FieldErrors): void {
  const cidr = parseCidr(text);
  if (cidr === undefined) return errors.invalid(path, text, `netip.ParsePrefix(${goQuote(text)}): no valid prefix`);
  const [addressText = '', bits] = text.split('/');
  const address = formatIp(parseIp(addressText)!);
  if (address !== formatIp(cidr.base)) errors.invalid(path, text, "wrong CIDR format, IP doesn't match network IP address");
  if (`${address}/${cidr.prefixBits}` !== `${addressText}/${bits}`) errors.invalid(path, text, 'CIDR not in RFC 5952 canonical format');
}

/** A range from which services get their cluster addresses. */
export const serviceCidr = defineResource<ServiceCIDR>({
  group: 'networking.k8s.io',
  resource: 'servicecidrs',
  kind: 'ServiceCIDR',
  singular: 'servicecidr',
  namespaced: false,
  hub: 'networking.k8s.io/v1',
  storageVersion: 'networking.k8s.io/v1',
  storagePath: 'servicecidrs',
  versions: [
    { groupVersion: 'networking.k8s.io/v1', message: 'networking/v1.ServiceCIDR' },
    { groupVersion: 'networking.k8s.io/v1beta1', message: 'networking/v1beta1.ServiceCIDR' },
  ],
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'] }],
  validateName: nameIsDns1123Subdomain,
  validate: validateServiceCidr,
  validateUpdate: (object, old, errors) => validateImmutableField(object.spec.cidrs, old.spec.cidrs, field('spec', 'cidrs'), errors),
  metadataChecksOnUpdate: ['update'],
  table: {
    columns: [NAME_COLUMN, { name: 'CIDRs', type: 'string', description: 'Ranges that addresses are taken from.' }, AGE_COLUMN],
    row: ({ metadata, spec }, nowMs) => ({
      cells: [metadata.name ?? '', (spec.cidrs ?? []).join(','), age(metadata.creationTimestamp, nowMs)],
    }),
  },
});
