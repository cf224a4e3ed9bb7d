import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goQuote, goStringSlice } from '../../../apimachinery/values/go-format.ts';
import { formatIp, parseCidr } from '../../../apimachinery/names/ip.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { ServiceCIDR } from '../../../generated/types/networking-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { parseStrictCidr } from '../strict-addresses.ts';

const cidrsPath = field('spec', 'cidrs');
const ONE_PER_FAMILY = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';

function validateServiceCidr({ spec }: ServiceCIDR, errors: FieldErrors): void {
  validateCidrs(spec.cidrs ?? [], errors);
}

function validateCidrs(cidrs: readonly string[], errors: FieldErrors): void {
  if (cidrs.length === 0) return errors.required(cidrsPath, 'at least one CIDR required');
  if (cidrs.length > 2) return errors.invalid(cidrsPath, goStringSlice(cidrs), 'may only hold up to 2 values');
  for (const [i, cidr] of cidrs.entries()) validateCidr(cidr, cidrsPath.index(i), errors);
  const [first, second] = cidrs.map(parseCidr);
  if (first !== undefined && first.base.length === second?.base.length)
    errors.invalid(cidrsPath, goStringSlice(cidrs), ONE_PER_FAMILY);
}

function validateCidr(text: string, path: FieldPath, errors: FieldErrors): void {
  const { cidr, problem } = parseStrictCidr(text);
  if (problem !== undefined) return errors.invalid(path, text, problem);
  const canonical = `${formatIp(cidr.base)}/${cidr.prefixBits}`;
  if (canonical !== text) errors.invalid(path, text, `must be in canonical form (${goQuote(canonical)})`);
}

/** Ranges stay; one of the other family may join the first. */
function validateServiceCidrUpdate({ spec }: ServiceCIDR, old: ServiceCIDR, errors: FieldErrors): void {
  const cidrs = spec.cidrs ?? [];
  const before = old.spec.cidrs ?? [];
  const gainsFamily = before.length === 1 && cidrs.length === 2;
  if (before.length !== cidrs.length && !gainsFamily)
    return errors.invalid(cidrsPath, goStringSlice(cidrs), FIELD_IMMUTABLE);
  for (const [i, cidr] of before.entries())
    if (cidrs[i] !== cidr) errors.invalid(cidrsPath.index(i), cidrs[i], FIELD_IMMUTABLE);
  if (gainsFamily) validateCidrs(cidrs, errors);
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
  validateUpdate: validateServiceCidrUpdate,
  metadataChecksOnUpdate: ['update'],
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'CIDRs', type: 'string', description: 'Ranges that addresses are taken from.' },
      AGE_COLUMN,
    ],
    row: ({ metadata, spec }, nowMs) => ({
      cells: [metadata.name ?? '', (spec.cidrs ?? []).join(','), age(metadata.creationTimestamp, nowMs)],
    }),
  },
});
