import type { DaemonSet } from '../../../generated/types/apps-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { setDaemonSetDefaults, setExtensionsV1beta1Defaults } from './defaults.ts';
import { templateWarnings } from '../template-warnings.ts';
import { daemonSetTable } from './table.ts';
import {
  appsToHub,
  prepareForCreate,
  prepareForUpdate,
  TEMPLATE_GENERATION_ANNOTATION,
  v1beta1FromHub,
  v1beta1ToHub,
} from './template-generation.ts';
import {
  validateDaemonSet,
  validateDaemonSetName,
  validateDaemonSetStatusUpdate,
  validateDaemonSetUpdate,
} from './validation.ts';

export const daemonSet = defineResource<DaemonSet>({
  group: 'apps',
  resource: 'daemonsets',
  kind: 'DaemonSet',
  singular: 'daemonset',
  shortNames: ['ds'],
  categories: ['all'],
  namespaced: true,
  hub: 'apps/v1',
  versions: [
    { groupVersion: 'apps/v1', message: 'apps/v1.DaemonSet', setDefaults: setDaemonSetDefaults, toHub: appsToHub },
    {
      groupVersion: 'apps/v1beta2',
      message: 'apps/v1beta2.DaemonSet',
      setDefaults: setDaemonSetDefaults,
      toHub: appsToHub,
      deprecation: { deprecatedIn: '1.9', removedIn: '1.16', replacement: 'apps/v1' },
    },
    {
      groupVersion: 'extensions/v1beta1',
      message: 'extensions/v1beta1.DaemonSet',
      setDefaults: setExtensionsV1beta1Defaults,
      toHub: v1beta1ToHub,
      fromHub: v1beta1FromHub,
      deprecation: { deprecatedIn: '1.8', removedIn: '1.16', replacement: 'apps/v1' },
    },
  ],
  storageVersion: 'apps/v1',
  storagePath: 'daemonsets',
  hiddenAnnotations: [TEMPLATE_GENERATION_ANNOTATION],
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'], validateUpdate: validateDaemonSetStatusUpdate }],
  validateName: validateDaemonSetName,
  generationOf: ({ spec }) => spec,
  prepareForCreate,
  prepareForUpdate,
  validate: validateDaemonSet,
  validateUpdate: validateDaemonSetUpdate,
  warnings: templateWarnings,
  garbageCollectionDefault: (requestVersion) => (requestVersion === 'apps/v1' ? 'background' : 'orphan'),
  table: daemonSetTable,
});
