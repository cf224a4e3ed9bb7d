import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { inclusiveRangeError, nameIsDns1123Subdomain, isDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateAnnotations, validateLabels } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { ObjectMeta } from '../../../apimachinery/meta/object.ts';
import type {
  PodReadinessGate,
  PodSchedulingGate,
  PodSpec,
  PodTemplateSpec,
} from '../../../generated/types/core-v1.ts';
import type { ClusterPolicy } from '../../resource-definition.ts';
import { reportProblems, validateDns1123Label, validateQualifiedName } from '../../validation/names.ts';
import { validatePodAnnotations, validateSeccompAgreement } from './annotations.ts';
import { validateResourceRequirements } from './container-resources.ts';
import { validateContainers, validateEphemeralContainers, validateInitContainers } from './containers.ts';
import { validateDnsConfig, validateDnsPolicy, validateHostAliases } from './dns.ts';
import { validateOperatingSystem } from './operating-system.ts';
import { validateAffinity } from './pod-affinity.ts';
import { validatePodResources } from './pod-resources.ts';
import { validatePodResourceClaims } from './resource-claims.ts';
import { validatePodSecurityContext } from './security-context.ts';
import { validateTolerations } from './tolerations.ts';
import { validateTopologySpread } from './topology-spread.ts';
import { validateVolumes } from './volumes.ts';
import { validateHostProcess } from './windows.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const INT32_MAX = 2147483647;
const NO_CLAIMS: ReadonlySet<string> = new Set();

/** Checks a pod template: its labels, annotations and spec. */
export function validatePodTemplateSpec(
  template: PodTemplateSpec,
  policy: ClusterPolicy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { metadata, spec } = template;
  const annotationsPath = path.child('annotations');
  validateLabels(metadata.labels, path.child('labels'), errors);
  validateAnnotations(metadata.annotations, annotationsPath, errors);
  validatePodAnnotations(metadata.annotations, spec, annotationsPath, errors);
  validatePodSpec(spec, undefined, policy, path.child('spec'), errors);
  validateSeccompAgreement(metadata, spec, path.child('spec'), errors);
  if (spec.ephemeralContainers?.length)
    errors.forbidden(path.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template');
}

/**
 * Checks a pod's spec; `meta` is the pod's metadata, undefined inside templates. Errors come in the order of
 * Kubernetes.
 */
export function validatePodSpec(
  spec: PodSpec,
  meta: ObjectMeta | undefined,
  policy: ClusterPolicy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const claims = spec.resourceClaims ?? [];
  const claimNames = new Set(claims.map((c) => c.name));
  const volumes = validateVolumes(spec.volumes ?? [], meta, path.child('volumes'), errors);
  validatePodResourceClaims(claims, path.child('resourceClaims'), errors);
  const pod = { spec, volumes, claimNames, policy };
  validateContainers(pod, path.child('containers'), errors);
  validateInitContainers(pod, path.child('initContainers'), errors);
  validateEphemeralContainers(pod, path.child('ephemeralContainers'), errors);
  validatePodResources(spec, claimNames, path.child('resources'), errors);
  validateChoice(spec.restartPolicy ?? '', RESTART_POLICIES, path.child('restartPolicy'), errors);
  validateDnsPolicy(spec.dnsPolicy ?? '', path.child('dnsPolicy'), errors);
  validateLabels(spec.nodeSelector, path.child('nodeSelector'), errors);
  validatePodSecurityContext(spec, path, path.child('securityContext'), errors);
  validateAffinity(spec.affinity, path.child('affinity'), errors);
  validateDnsConfig(spec.dnsConfig, spec.dnsPolicy ?? '', path.child('dnsConfig'), errors);
  validateReadinessGates(spec.readinessGates ?? [], path.child('readinessGates'), errors);
  validateSchedulingGates(spec.schedulingGates ?? [], path.child('schedulingGates'), errors);
  validateTopologySpread(spec.topologySpreadConstraints ?? [], path.child('topologySpreadConstraints'), errors);
  validateHostProcess(spec, policy, path, errors);
  validateHostNamespaces(spec, path, errors);
  validatePlacement(spec, path, errors);
  validateOperatingSystem(spec, path, errors);
}

/** The single fields that come last. */
function validatePlacement(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  validateName(spec.serviceAccountName, path.child('serviceAccountName'), errors);
  validateName(spec.nodeName, path.child('nodeName'), errors);
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > INT32_MAX)) {
    errors.invalid(path.child('activeDeadlineSeconds'), deadline, inclusiveRangeError(1, INT32_MAX));
  }
  if (spec.hostname) validateDns1123Label(spec.hostname, path.child('hostname'), errors);
  if (spec.subdomain) validateDns1123Label(spec.subdomain, path.child('subdomain'), errors);
  validateHostname(spec, path, errors);
  validateTolerations(spec.tolerations ?? [], path.child('tolerations'), errors);
  validateHostAliases(spec.hostAliases ?? [], path.child('hostAliases'), errors);
  validateName(spec.priorityClassName, path.child('priorityClassName'), errors);
  if (spec.runtimeClassName !== undefined) {
    reportProblems(
      nameIsDns1123Subdomain(spec.runtimeClassName, false),
      spec.runtimeClassName,
      path.child('runtimeClassName'),
      errors,
    );
  }
  if (spec.preemptionPolicy !== undefined)
    validateChoice(spec.preemptionPolicy, PREEMPTION_POLICIES, path.child('preemptionPolicy'), errors);
  // Kubernetes checks the overhead like the limits of a container, with their path.
  if (spec.overhead !== undefined)
    validateResourceRequirements({ limits: spec.overhead }, NO_CLAIMS, path.child('overhead'), errors);
  validateName(spec.schedulingGroup?.podGroupName, path.child('schedulingGroup', 'podGroupName'), errors);
}

/** The name of another object; empty means none. */
function validateName(name: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (name) reportProblems(nameIsDns1123Subdomain(name, false), name, path, errors);
}

function validateChoice(value: string, choices: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (value === '') errors.required(path);
  else if (!choices.includes(value)) errors.notSupported(path, value, choices);
}

function validateReadinessGates(gates: readonly PodReadinessGate[], path: FieldPath, errors: FieldErrors): void {
  for (const [i, gate] of gates.entries())
    validateQualifiedName(gate.conditionType, path.index(i).child('conditionType'), errors);
}

function validateSchedulingGates(gates: readonly PodSchedulingGate[], path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, { name }] of gates.entries()) {
    validateQualifiedName(name, path.index(i), errors);
    if (seen.has(name)) errors.duplicate(path.index(i), name);
    seen.add(name);
  }
}

const HOST_NAME_BYTES_MAX = 64;

/** A pod with its own user namespace shares no other namespace with its node. */
function validateHostNamespaces(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  if (spec.hostUsers !== false) return;
  const detail = 'when `pod.Spec.HostUsers` is false';
  if (spec.hostNetwork) errors.forbidden(path.child('hostNetwork'), detail);
  // Spelled as Kubernetes spells them here.
  if (spec.hostPID) errors.forbidden(path.child('HostPID'), detail);
  if (spec.hostIPC) errors.forbidden(path.child('HostIPC'), detail);
}

/** The name that replaces all others inside the pod. */
function validateHostname(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const name = spec.hostnameOverride;
  if (name === undefined) return;
  const at = path.child('hostnameOverride');
  if (spec.hostNetwork) errors.forbidden(at, 'may not be specified when `hostNetwork` is true');
  if (spec.setHostnameAsFQDN) errors.forbidden(at, 'may not be specified when `setHostnameAsFQDN` is true');
  if (Buffer.byteLength(name) > HOST_NAME_BYTES_MAX) errors.tooLong(at, name, HOST_NAME_BYTES_MAX);
  reportProblems(isDns1123Subdomain(name), name, at, errors);
}
