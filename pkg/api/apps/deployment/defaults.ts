import type { Deployment } from '../../../generated/types/apps-v1.ts';
import type { Deployment as DeploymentV1beta1 } from '../../../generated/types/apps-v1beta1.ts';
import { setPodTemplateDefaults } from '../../core/pod-spec/defaults.ts';
import { defaultFromTemplateLabels } from '../template-labels.ts';

/** The defaults of a version. */
interface Numbers {
  readonly maxUnavailable: number | string;
  readonly maxSurge: number | string;
  readonly revisionHistoryLimit: number;
  readonly progressDeadlineSeconds: number;
}

/** Means "never" and "all" where extensions/v1beta1 had no limit. */
const UNLIMITED = 2147483647;

const MODERN: Numbers = {
  maxUnavailable: '25%',
  maxSurge: '25%',
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
};
const APPS_V1BETA1: Numbers = { ...MODERN, revisionHistoryLimit: 2 };
const EXTENSIONS: Numbers = {
  maxUnavailable: 1,
  maxSurge: 1,
  revisionHistoryLimit: UNLIMITED,
  progressDeadlineSeconds: UNLIMITED,
};

/** apps/v1 and apps/v1beta2. */
export function setDeploymentDefaults(object: Deployment): void {
  setDefaults(object, MODERN);
}

export function setAppsV1beta1Defaults(object: DeploymentV1beta1): void {
  defaultFromTemplateLabels(object);
  setDefaults(object, APPS_V1BETA1);
}

export function setExtensionsV1beta1Defaults(object: DeploymentV1beta1): void {
  defaultFromTemplateLabels(object);
  setDefaults(object, EXTENSIONS);
}

function setDefaults({ spec }: Deployment | DeploymentV1beta1, numbers: Numbers): void {
  setPodTemplateDefaults(spec.template);
  spec.replicas ??= 1;
  const strategy = spec.strategy;
  strategy.type ??= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= numbers.maxUnavailable;
    strategy.rollingUpdate.maxSurge ??= numbers.maxSurge;
  }
  spec.revisionHistoryLimit ??= numbers.revisionHistoryLimit;
  spec.progressDeadlineSeconds ??= numbers.progressDeadlineSeconds;
}
