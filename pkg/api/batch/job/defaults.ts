import type { Job } from '../../../generated/types/batch-v1.ts';
import { setPodTemplateDefaults } from '../../core/pod-spec/defaults.ts';

const INT32_MAX = 2 ** 31 - 1;

export function setJobDefaults(object: Job): void {
  const { metadata, spec } = object;
  setPodTemplateDefaults(spec.template);
  // Without any count a job is one pod; a parallelism alone makes a work queue, whose completions stay open.
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  // With a limit for each index the one for the whole job must not come first.
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : INT32_MAX;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  // Rules about failed pods apply only after a pod has failed: its replacement waits for that.
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  setPodFailurePolicyDefaults(spec.podFailurePolicy);
  const labels = spec.template.metadata.labels;
  // One map in two places on purpose: the labels that creation adds to the template then show on the job too, as on
  // stock servers.
  if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
}

/** A pattern without status requires the condition to hold. */
function setPodFailurePolicyDefaults(policy: Job['spec']['podFailurePolicy']): void {
  for (const rule of policy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) if (pattern.status === '') pattern.status = 'True';
  }
}
