import type {
  Job,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '../../generated/types/batch-v1.ts';
import type { ContainerStatus, Pod } from '../../generated/types/core-v1.ts';
import { isFailed } from './job-pods.ts';

/** What the job's policy says about a failed pod (KEP-3329). */
export interface PodFailure {
  /** Whether it counts towards limits. */
  readonly counts: boolean;
  /** Of the first rule that matches. */
  readonly action?: string;
  /** Why the whole job fails. */
  readonly message?: string;
}

export function podFailure({ spec }: Job, pod: Pod): PodFailure {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const match = matchOf(rule, pod);
    if (match === undefined) continue;
    const { action } = rule;
    if (action !== 'FailJob') return { counts: action !== 'Ignore', action };
    return { counts: true, action, message: `${match} matching ${action} rule at index ${index}` };
  }
  return { counts: true };
}

/** Why the pods fail the whole job, if they do. */
export function jobFailureMessage(job: Job, pods: readonly Pod[]): string | undefined {
  if (job.spec.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    const message = isFailed(pod, job) ? podFailure(job, pod).message : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

/** How the rule matches, in the words of the condition's message. */
function matchOf(
  { onExitCodes, onPodConditions }: PodFailurePolicyRule,
  { metadata, status }: Pod,
): string | undefined {
  const name = `${metadata.namespace}/${metadata.name}`;
  if (onExitCodes !== undefined) {
    const containers = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
    const container = containers.find((one) => hasExitCode(one, onExitCodes));
    if (container === undefined) return undefined;
    return `Container ${container.name} for pod ${name} failed with exit code ${container.state!.terminated!.exitCode}`;
  }
  const condition = status.conditions?.find(({ type, status: value }) =>
    onPodConditions?.some((pattern) => pattern.type === type && pattern.status === value),
  );
  return condition === undefined ? undefined : `Pod ${name} has condition ${condition.type}`;
}

function hasExitCode(
  { name, state }: ContainerStatus,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): boolean {
  const exitCode = state?.terminated?.exitCode ?? 0;
  if (exitCode === 0 || (containerName !== undefined && containerName !== name)) return false;
  return (values ?? []).includes(exitCode) === (operator === 'In');
}
