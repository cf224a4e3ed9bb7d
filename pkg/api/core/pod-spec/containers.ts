import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { Container, EphemeralContainer, PodSpec } from '../../../generated/types/core-v1.ts';
import type { ClusterPolicy } from '../../resource-definition.ts';
import { validateDns1123Label } from '../../validation/names.ts';
import { validateContainerPorts, validateHostPortConflicts } from './container-ports.ts';
import { validateResizePolicy, validateResourceRequirements } from './container-resources.ts';
import { validateRestartRules } from './container-restart.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { forbidProbesAndHooks, validateProbesAndHooks } from './probes.ts';
import { validatePullPolicy } from './pull-policy.ts';
import { validateSecurityContext } from './security-context.ts';
import { validateMountsAndDevices } from './volume-mounts.ts';
import type { Volumes } from './volumes.ts';

const TERMINATION_MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const NOT_EPHEMERAL = 'cannot be set for an Ephemeral Container';
/** Fields that debugging containers cannot have, in the order of declaration. */
const NOT_EPHEMERAL_FIELDS = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const satisfies (keyof EphemeralContainer)[];

/** The parts of their pod and cluster that the checks of containers need. */
export interface PodSurroundings {
  readonly spec: PodSpec;
  readonly volumes: Volumes;
  /** Names of the pod's resource claims. */
  readonly claimNames: ReadonlySet<string>;
  readonly policy: ClusterPolicy;
}

export function validateContainers(pod: PodSurroundings, path: FieldPath, errors: FieldErrors): void {
  const containers = pod.spec.containers ?? [];
  if (containers.length === 0) return errors.required(path);
  const names = new Set<string>();
  for (const [i, container] of containers.entries()) {
    const at = path.index(i);
    validateContainer(container, pod, at, errors);
    if (names.has(container.name)) errors.duplicate(at.child('name'), container.name);
    names.add(container.name);
    validateProbesAndHooks(container, pod.spec.terminationGracePeriodSeconds, at, errors);
    validateRestartRules(container, at, errors);
  }
  validateHostPortConflicts(containers, path, errors);
}

export function validateInitContainers(pod: PodSurroundings, path: FieldPath, errors: FieldErrors): void {
  const names = new Set((pod.spec.containers ?? []).map((c) => c.name));
  for (const [i, container] of (pod.spec.initContainers ?? []).entries()) {
    const at = path.index(i);
    validateContainer(container, pod, at, errors);
    validateRestartRules(container, at, errors);
    if (names.has(container.name)) errors.duplicate(at.child('name'), container.name);
    if (container.name !== '') names.add(container.name);
    // Init containers run one after another: each may take the ports of those before.
    validateHostPortConflicts([container], path, errors);
    if (container.restartPolicy === 'Always')
      validateProbesAndHooks(container, pod.spec.terminationGracePeriodSeconds, at, errors);
    else forbidProbesAndHooks(container, 'may not be set for init containers without restartPolicy=Always', at, errors);
  }
}

export function validateEphemeralContainers(pod: PodSurroundings, path: FieldPath, errors: FieldErrors): void {
  const containers = pod.spec.ephemeralContainers ?? [];
  if (containers.length === 0) return;
  const targets = new Set([...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])].map((c) => c.name));
  const names = new Set(targets);
  for (const [i, container] of containers.entries()) {
    const at = path.index(i);
    validateContainer(container as Container, pod, at, errors);
    validateImageTrimmed(container.image ?? '', at.child('image'), errors);
    if (names.has(container.name)) errors.duplicate(at.child('name'), container.name);
    names.add(container.name);
    const target = container.targetContainerName;
    if (target && !targets.has(target)) errors.notFound(at.child('targetContainerName'), target);
    for (const field of NOT_EPHEMERAL_FIELDS)
      if (isSet(container[field])) errors.forbidden(at.child(field), NOT_EPHEMERAL);
    for (const [m, { subPath, subPathExpr }] of (container.volumeMounts ?? []).entries()) {
      if (subPath) errors.forbidden(at.child('volumeMounts').index(m).child('subPath'), NOT_EPHEMERAL);
      if (subPathExpr) errors.forbidden(at.child('volumeMounts').index(m).child('subPathExpr'), NOT_EPHEMERAL);
    }
  }
}

/** `resources` is always there, but may be empty. */
function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined;
}

/** Checks of containers of all sorts. */
function validateContainer(
  container: Container,
  { spec, volumes, claimNames, policy }: PodSurroundings,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (container.name === '') errors.required(path.child('name'));
  else validateDns1123Label(container.name, path.child('name'), errors);
  if (!container.image) errors.required(path.child('image'));
  const messagePolicy = container.terminationMessagePolicy ?? '';
  if (messagePolicy === '') errors.required(path.child('terminationMessagePolicy'));
  else if (!TERMINATION_MESSAGE_POLICIES.includes(messagePolicy)) {
    errors.notSupported(path.child('terminationMessagePolicy'), messagePolicy, TERMINATION_MESSAGE_POLICIES);
  }
  validateContainerPorts(container.ports ?? [], path.child('ports'), errors);
  validateEnv(container.env ?? [], path.child('env'), errors);
  validateEnvFrom(container.envFrom ?? [], path.child('envFrom'), errors);
  validateMountsAndDevices(container, volumes, path, errors);
  validatePullPolicy(container.imagePullPolicy ?? '', path.child('imagePullPolicy'), errors);
  validateResourceRequirements(container.resources, claimNames, path.child('resources'), errors);
  validateResizePolicy(container.resizePolicy ?? [], spec.restartPolicy, path.child('resizePolicy'), errors);
  validateSecurityContext(
    container.securityContext,
    spec.hostUsers ?? true,
    policy,
    path.child('securityContext'),
    errors,
  );
}

/** Templates may hold images with white space (some replace them later); pods may not. */
export function validateImageTrimmed(image: string, path: FieldPath, errors: FieldErrors): void {
  if (image.trim() !== image) errors.invalid(path, image, 'must not have leading or trailing whitespace');
}
