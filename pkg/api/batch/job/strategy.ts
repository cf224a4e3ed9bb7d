import { setKey } from '../../../apimachinery/json/own-keys.ts';
import type { Job } from '../../../generated/types/batch-v1.ts';

/**
 * The labels that connect a job and its pods: today's, by the first of which it selects them, and those of old
 * releases, which stay beside them.
 */
export const CONTROLLER_UID_LABEL = 'batch.kubernetes.io/controller-uid';
export const JOB_NAME_LABEL = 'batch.kubernetes.io/job-name';
export const LEGACY_CONTROLLER_UID_LABEL = 'controller-uid';
export const LEGACY_JOB_NAME_LABEL = 'job-name';

/**
 * Labels the pods with the job's name and uid and selects the uid. Values that a client has set stay: validation checks
 * them.
 */
export function prepareForCreate({ metadata, spec }: Job): void {
  if (spec.manualSelector === true) return;
  const { name = '', uid = '' } = metadata;
  const template = spec.template.metadata;
  // A job without labels of its own has those of the template: the defaults give them, when an object is read.
  const shared = Object.keys(metadata.labels ?? {}).length === 0 || metadata.labels === template.labels;
  template.labels = withMissing(template.labels, {
    [LEGACY_JOB_NAME_LABEL]: name,
    [JOB_NAME_LABEL]: name,
    [LEGACY_CONTROLLER_UID_LABEL]: uid,
    [CONTROLLER_UID_LABEL]: uid,
  });
  if (shared) metadata.labels = { ...template.labels };
  spec.selector = {
    ...spec.selector,
    matchLabels: withMissing(spec.selector?.matchLabels, { [CONTROLLER_UID_LABEL]: uid }),
  };
}

function withMissing(
  labels: Record<string, string> | undefined,
  added: Record<string, string>,
): Record<string, string> {
  const merged = { ...labels };
  for (const [key, value] of Object.entries(added)) if (!Object.hasOwn(merged, key)) setKey(merged, key, value);
  return merged;
}
