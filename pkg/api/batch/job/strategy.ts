import { setKey } from '../../../apimachinery/own-keys.ts';
import type { Job } from '../../../generated/types/batch-v1.ts';

/** The labels by which a job and its pods know each other. */
export const CONTROLLER_UID_LABEL = 'controller-uid';
export const JOB_NAME_LABEL = 'job-name';

/** Says that the job's pods carry finalizers until they are counted. The server sets it, clients can neither add nor remove it. */
export const TRACKING_ANNOTATION = 'batch.kubernetes.io/job-tracking';

export function hasTrackingAnnotation(object: Job): boolean {
  return object.metadata.annotations !== undefined && Object.hasOwn(object.metadata.annotations, TRACKING_ANNOTATION);
}

export function prepareForCreate(object: Job): void {
  if (object.spec.manualSelector !== true) generateSelector(object);
  setTrackingAnnotation(object);
}

export function prepareForUpdate(object: Job, old: Job): void {
  if (hasTrackingAnnotation(old)) setTrackingAnnotation(object);
}

function setTrackingAnnotation(object: Job): void {
  object.metadata.annotations = { ...object.metadata.annotations, [TRACKING_ANNOTATION]: '' };
}

/** Labels the pods with the job's name and uid and selects the uid. What a client has set in these places stays: validation judges it. */
function generateSelector({ metadata, spec }: Job): void {
  const template = spec.template.metadata;
  // The defaults share the template's labels with a job that has none of its own.
  const shared = metadata.labels !== undefined && metadata.labels === template.labels;
  template.labels = withMissing(template.labels, { [JOB_NAME_LABEL]: metadata.name ?? '', [CONTROLLER_UID_LABEL]: metadata.uid ?? '' });
  if (shared) metadata.labels = { ...template.labels };
  spec.selector = { ...spec.selector, matchLabels: withMissing(spec.selector?.matchLabels, { [CONTROLLER_UID_LABEL]: metadata.uid ?? '' }) };
}

function withMissing(labels: Record<string, string> | undefined, added: Record<string, string>): Record<string, string> {
  const merged = { ...labels };
  for (const [key, value] of Object.entries(added)) if (!Object.hasOwn(merged, key)) setKey(merged, key, value);
  return merged;
}
