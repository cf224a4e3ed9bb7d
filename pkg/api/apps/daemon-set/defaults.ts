import type { DaemonSet } from '../../../generated/types/apps-v1.ts';
import type { DaemonSet as DaemonSetV1beta1 } from '../../../generated/types/extensions-v1beta1.ts';
import { setPodTemplateDefaults } from '../../core/pod-spec/defaults.ts';
import { defaultFromTemplateLabels } from '../template-labels.ts';

/** apps/v1 and apps/v1beta2. */
export function setDaemonSetDefaults(object: DaemonSet): void {
  setDefaults(object, 'RollingUpdate');
}

export function setExtensionsV1beta1Defaults(object: DaemonSetV1beta1): void {
  defaultFromTemplateLabels(object);
  setDefaults(object, 'OnDelete');
}

function setDefaults({ spec }: DaemonSet | DaemonSetV1beta1, strategyType: string): void {
  setPodTemplateDefaults(spec.template);
  const strategy = spec.updateStrategy;
  strategy.type ??= strategyType;
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= 1;
    strategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
}
