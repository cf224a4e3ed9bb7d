import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goStruct } from '../../../apimachinery/values/go-format.ts';
import { parseIp } from '../../../apimachinery/names/ip.ts';
import { isValidIp, nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { Pod } from '../../../generated/types/core-v1.ts';
import { reportProblems, validateQualifiedName } from '../../validation/names.ts';
import { validatePodAnnotationsUpdate } from '../pod-spec/annotations.ts';
import { validatePodResourceClaimStatuses } from '../pod-spec/resource-claims.ts';
import { validateAllocatedResources } from './allocated-resources.ts';
import { validateTransitions } from './container-transitions.ts';

const SYSTEM_CONDITIONS = new Set(['PodScheduled', 'Ready', 'Initialized']);
const ONE_PER_FAMILY = 'may specify no more than one IP for each IP family';

/** Changes of a pod's status that do not happen in normal operation are refused. */
export function validatePodStatusUpdate(pod: Pod, old: Pod, errors: FieldErrors): void {
  validatePodAnnotationsUpdate(pod.metadata, old.metadata, pod.spec, field('metadata', 'annotations'), errors);
  const { status } = pod;
  const path = field('status');
  for (const [i, { type, observedGeneration = 0 }] of (status.conditions ?? []).entries()) {
    const conditionPath = path.child('conditions').index(i);
    if (observedGeneration < 0)
      errors.invalid(conditionPath.child('observedGeneration'), observedGeneration, 'must be a non-negative integer');
    if (!SYSTEM_CONDITIONS.has(type)) validateQualifiedName(type, conditionPath.child('Type'), errors);
  }
  const nominated = status.nominatedNodeName;
  if (nominated && nominated !== old.status.nominatedNodeName) {
    reportProblems(nameIsDns1123Subdomain(nominated, false), nominated, path.child('nominatedNodeName'), errors);
    if (old.spec.nodeName)
      errors.forbidden(path.child('nominatedNodeName'), 'may not be set on pods that are already bound to a node');
  }
  const { observedGeneration = 0 } = status;
  if (observedGeneration < 0)
    errors.invalid(path.child('observedGeneration'), observedGeneration, 'must be a non-negative integer');
  // Data of old servers has no class yet.
  if (old.status.qosClass) validateImmutableField(status.qosClass, old.status.qosClass, path.child('qosClass'), errors);
  validateTransitions(pod.status, old, path, errors);
  validateAllocatedResources(pod, path, errors);
  validatePodResourceClaimStatuses(
    status.resourceClaimStatuses ?? [],
    pod.spec.resourceClaims ?? [],
    path.child('resourceClaimStatuses'),
    errors,
  );
  validatePodIps(pod, path.child('podIPs'), errors);
  validateHostIps(pod, path.child('hostIPs'), errors);
}

function validatePodIps(pod: Pod, path: FieldPath, errors: FieldErrors): void {
  const ips = (pod.status.podIPs ?? []).map(({ ip }) => ip);
  for (const [i, ip] of ips.entries()) reportProblems(isValidIp(ip), ip, path.index(i), errors);
  validateFamilies(ips, path, errors);
}

function validateHostIps(pod: Pod, path: FieldPath, errors: FieldErrors): void {
  const ips = (pod.status.hostIPs ?? []).map(({ ip }) => ip);
  if (ips.length === 0) return;
  if (pod.status.hostIP !== ips[0]) errors.invalid(path.index(0).child('ip'), ips[0], 'must be equal to `hostIP`');
  for (const [i, ip] of ips.entries()) reportProblems(isValidIp(ip), ip, path.index(i), errors);
  validateFamilies(ips, path, errors);
}

/** At most one address of each family. */
function validateFamilies(ips: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (ips.length < 2) return;
  const items = ips.map((ip) => goStruct({ IP: ip }));
  const families = new Set(ips.map((ip) => parseIp(ip)?.length));
  if (ips.length > 2 || families.size < 2 || families.has(undefined)) errors.invalid(path, items, ONE_PER_FAMILY);
  const seen = new Set<string>();
  for (const [i, ip] of ips.entries()) {
    if (seen.has(ip)) errors.duplicate(path.index(i), items[i]);
    seen.add(ip);
  }
}
