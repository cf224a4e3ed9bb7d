import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type {
  Container,
  ContainerRestartRule,
  ContainerStatus,
  Pod,
  PodSpec,
  PodStatus,
} from '../../../generated/types/core-v1.ts';

/** A container that has ended for good does not run again. */
export function validateTransitions(
  status: PodStatus,
  { spec, status: old }: Pod,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const mayRestart = restartsAll(spec)
    ? () => true
    : (container: Container | undefined, exitCode: number): boolean =>
        container !== undefined && shouldRestart(container, spec, exitCode);
  validateList(
    status.containerStatuses,
    old.containerStatuses,
    spec.containers ?? [],
    mayRestart,
    path.child('containerStatuses'),
    errors,
  );
  validateList(
    status.initContainerStatuses,
    old.initContainerStatuses,
    spec.initContainers ?? [],
    mayRestart,
    path.child('initContainerStatuses'),
    errors,
  );
  // Debugging containers are never restarted, whatever the pod's policy.
  validateList(
    status.ephemeralContainerStatuses,
    old.ephemeralContainerStatuses,
    [],
    () => false,
    path.child('ephemeralContainerStatuses'),
    errors,
  );
}

function validateList(
  statuses: readonly ContainerStatus[] = [],
  old: readonly ContainerStatus[] = [],
  containers: readonly Container[],
  mayRestart: (container: Container | undefined, exitCode: number) => boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const running = new Set(statuses.filter(({ state }) => state.terminated === undefined).map(({ name }) => name));
  const byName = new Map(containers.map((container) => [container.name, container]));
  for (const [i, { name, state }] of old.entries()) {
    if (state.terminated === undefined || !running.has(name) || mayRestart(byName.get(name), state.terminated.exitCode))
      continue;
    errors.forbidden(path.index(i).child('state'), 'may not be transitioned to non-terminated state');
  }
}

/** A rule of one container that restarts all of them may bring back any. */
function restartsAll({ initContainers, containers }: PodSpec): boolean {
  return [...(initContainers ?? []), ...(containers ?? [])].some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  );
}

/** A container's own rules come first, then its own policy, then the pod's. */
function shouldRestart(
  { restartPolicy: own, restartPolicyRules: rules = [] }: Container,
  spec: PodSpec,
  exitCode: number,
): boolean {
  if (own !== undefined && rules.find((rule) => applies(rule, exitCode))?.action === 'Restart') return true;
  switch (own ?? spec.restartPolicy) {
    case 'OnFailure':
      return exitCode !== 0;
    case 'Never':
      return false;
    default:
      return true;
  }
}

function applies({ exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  if (exitCodes === undefined) return false;
  const isListed = (exitCodes.values ?? []).includes(exitCode);
  return exitCodes.operator === 'In' ? isListed : exitCodes.operator === 'NotIn' && !isListed;
}
