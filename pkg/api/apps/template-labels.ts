import type { ObjectMeta } from '../../apimachinery/meta/object.ts';
import type { LabelSelector } from '../../generated/types/meta-v1.ts';

/** The fields of a workload that the old versions' defaults read. */
interface Workload {
  metadata: ObjectMeta;
  spec: { selector?: LabelSelector | null; template: { metadata: ObjectMeta } };
}

/** Before apps/v1beta2, a workload without selector or labels takes both from its template's labels. */
export function defaultFromTemplateLabels(object: Workload): void {
  const labels = object.spec.template.metadata.labels;
  if (labels === undefined) return;
  object.spec.selector ??= { matchLabels: { ...labels } };
  if (Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = { ...labels };
}
