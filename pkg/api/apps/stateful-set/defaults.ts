import type { StatefulSet } from '../../../generated/types/apps-v1.ts';
import type { StatefulSet as StatefulSetV1beta1 } from '../../../generated/types/apps-v1beta1.ts';
import type { PersistentVolumeClaim } from '../../../generated/types/core-v1.ts';
import { setPodTemplateDefaults } from '../../core/pod-spec/defaults.ts';
import { roundResourceList } from '../../core/pod-spec/resource-list.ts';
import { defaultFromTemplateLabels } from '../template-labels.ts';

/** apps/v1 and apps/v1beta2. */
export function setStatefulSetDefaults(object: StatefulSet): void {
  const strategy = object.spec.updateStrategy;
  if (strategy.type === undefined) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  setDefaults(object);
}

export function setV1beta1Defaults(object: StatefulSetV1beta1): void {
  defaultFromTemplateLabels(object);
  object.spec.updateStrategy.type ??= 'OnDelete';
  setDefaults(object);
}

function setDefaults({ spec }: StatefulSet | StatefulSetV1beta1): void {
  setPodTemplateDefaults(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) setClaimTemplateDefaults(claim);
  spec.podManagementPolicy ??= 'OrderedReady';
  const { type, rollingUpdate } = spec.updateStrategy;
  if (type === 'RollingUpdate' && rollingUpdate !== undefined) rollingUpdate.partition ??= 0;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ??= 'Retain';
  retention.whenScaled ??= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
}

/** Claims in the list have kind and version, as in any list of whole objects. */
function setClaimTemplateDefaults(claim: PersistentVolumeClaim): void {
  claim.apiVersion = 'v1';
  claim.kind = 'PersistentVolumeClaim';
  claim.status.phase ??= 'Pending';
  claim.spec.volumeMode ??= 'Filesystem';
  roundResourceList(claim.spec.resources.limits);
  roundResourceList(claim.spec.resources.requests);
  roundResourceList(claim.status.capacity);
}
