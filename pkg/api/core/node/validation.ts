import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goStruct } from '../../../apimachinery/values/go-format.ts';
import { parseCidr } from '../../../apimachinery/names/ip.ts';
import type { Node, NodeAddress, NodeSpec } from '../../../generated/types/core-v1.ts';
import { validateResourceQuantityValue } from '../../validation/resource-names.ts';
import { validateConfigSource, validateConfigStatus } from './config-source.ts';
import { validateTaints } from './taints.ts';

/** Kubernetes names the taints under metadata, where they once were annotations. */
const TAINTS_PATH = field('metadata', 'taints');
/** Each error shows the whole list: of a hostile one only this many are checked. */
const RANGES_SHOWN_MAX = 16;

export function validateNode(node: Node, errors: FieldErrors): void {
  validateTaints(node.spec.taints ?? [], TAINTS_PATH, errors);
  validateAmounts(node, errors);
  validatePodCidrs(node.spec.podCIDRs ?? [], errors);
}

/** The fields that a change of spec or status must not change. */
export function validateNodeUpdate(node: Node, old: Node, errors: FieldErrors): void {
  const { spec, status } = node;
  validateAmounts(node, errors);
  validateAddresses(status.addresses ?? [], errors);
  validateFixedFields(spec, old.spec, errors);
  if (spec.configSource !== undefined) validateConfigSource(spec.configSource, field('spec', 'configSource'), errors);
  if (status.config !== undefined) validateConfigStatus(status.config, field('status', 'config'), errors);
  validateTaints(spec.taints ?? [], TAINTS_PATH, errors);
  if ((spec.externalID ?? '') !== (old.spec.externalID ?? ''))
    errors.forbidden(field('spec', 'externalID'), 'may not be updated');
}

export function nodeWarnings({ spec }: Node): string[] {
  const warnings: string[] = [];
  if (spec.configSource !== undefined) warnings.push('spec.configSource: the feature is removed');
  if (spec.externalID) warnings.push('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  return warnings;
}

function validateAmounts({ status }: Node, errors: FieldErrors): void {
  for (const list of ['capacity', 'allocatable'] as const) {
    for (const [name, amount] of Object.entries(status[list] ?? {}))
      validateResourceQuantityValue(name, amount, field('status', list, name), errors);
  }
}

/** At most one range for each IP family. */
function validatePodCidrs(ranges: readonly string[], errors: FieldErrors): void {
  const path = field('spec', 'podCIDRs');
  const parsed = ranges.map(parseCidr);
  for (const [i, range] of parsed.entries()) {
    if (range === undefined && i < RANGES_SHOWN_MAX) errors.invalid(path.index(i), ranges, 'must be valid CIDR');
  }
  if (ranges.length < 2) return;
  const invalid = parsed.indexOf(undefined);
  if (invalid >= 0)
    errors.internal(
      path,
      `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR address: ${ranges[invalid]}`,
    );
  const families = new Set(parsed.map((range) => range?.base.length));
  if (invalid >= 0 || families.size < 2 || ranges.length > 2)
    errors.invalid(path, ranges, 'may specify no more than one CIDR for each IP family');
  const seen = new Set<string>();
  for (const [i, range] of ranges.entries()) {
    if (seen.has(range)) errors.duplicate(path.index(i), range);
    seen.add(range);
  }
}

function validateAddresses(addresses: readonly NodeAddress[], errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, { type, address }] of addresses.entries()) {
    const id = `${type}\n${address}`;
    if (seen.has(id))
      errors.duplicate(field('status', 'addresses').index(i), goStruct({ Type: type, Address: address }));
    seen.add(id);
  }
}

/** Controllers assign the ranges and the provider's id once. */
function validateFixedFields(spec: NodeSpec, old: NodeSpec, errors: FieldErrors): void {
  const ranges = spec.podCIDRs ?? [];
  const before = old.podCIDRs ?? [];
  if (before.length > 0) {
    const changes = ranges.length === before.length ? before.filter((range, i) => range !== ranges[i]).length : 1;
    for (let i = 0; i < changes; i++)
      errors.forbidden(field('spec', 'podCIDRs'), 'node updates may not change podCIDR except from "" to valid');
  }
  if (old.providerID && spec.providerID !== old.providerID) {
    errors.forbidden(field('spec', 'providerID'), 'node updates may not change providerID except from "" to valid');
  }
}
