import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { Device } from '../../../generated/types/resource-v1.ts';
import { validateNodeSelector } from '../../core/pod-spec/node-affinity.ts';
import { reportProblems } from '../../validation/names.ts';

/** Checks the ways in which a slice or a device selects its nodes, and returns the names of those that are used. */
export function nodeChoices(
  { nodeName, nodeSelector, allNodes }: Pick<Device, 'nodeName' | 'nodeSelector' | 'allNodes'>,
  emptyName: string,
  path: FieldPath,
  errors: FieldErrors,
): string[] {
  const chosen: string[] = [];
  if (nodeName === '') errors.invalid(path.child('nodeName'), nodeName, emptyName);
  else if (nodeName !== undefined) {
    chosen.push('`nodeName`');
    reportProblems(nameIsDns1123Subdomain(nodeName, false), nodeName, path.child('nodeName'), errors);
  }
  if (nodeSelector !== undefined) {
    chosen.push('`nodeSelector`');
    validateNodeSelector(nodeSelector, path.child('nodeSelector'), errors);
  }
  if (allNodes === true) chosen.push('`allNodes`');
  if (allNodes === false) errors.invalid(path.child('allNodes'), false, 'must be either unset or set to true');
  return chosen;
}
