import type { ReplicationController } from '../../../generated/types/core-v1.ts';
import { setPodTemplateDefaults } from '../pod-spec/defaults.ts';

/** The template's labels are the default of selector and labels. */
export function setReplicationControllerDefaults(controller: ReplicationController): void {
  const { metadata, spec } = controller;
  const labels = spec.template?.metadata.labels;
  if (labels !== undefined) {
    if (!spec.selector || Object.keys(spec.selector).length === 0) spec.selector = { ...labels };
    if (!metadata.labels || Object.keys(metadata.labels).length === 0) metadata.labels = { ...labels };
  }
  spec.replicas ??= 1;
  if (spec.template !== undefined) setPodTemplateDefaults(spec.template);
}
