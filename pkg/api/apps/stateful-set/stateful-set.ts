import type { StatefulSet } from '../../../generated/types/apps-v1.ts';
import { defineResource, type ScaleAccess } from '../../resource-definition.ts';
import { selectorFromHub, selectorToHub } from '../selector-presence.ts';
import { selectorScale } from '../selector-scale.ts';
import { setStatefulSetDefaults, setV1beta1Defaults } from './defaults.ts';
import { statefulSetTable } from './table.ts';
import {
  validateStatefulSet,
  validateStatefulSetName,
  validateStatefulSetStatusUpdate,
  validateStatefulSetUpdate,
} from './validation.ts';
import { statefulSetWarnings } from './warnings.ts';

const scale: ScaleAccess<StatefulSet> = {
  get: ({ spec, status }) => ({
    specReplicas: spec.replicas ?? 0,
    statusReplicas: status.replicas,
    ...selectorScale(spec.selector),
  }),
  set(object, replicas) {
    object.spec.replicas = replicas;
  },
};

export const statefulSet = defineResource<StatefulSet>({
  group: 'apps',
  resource: 'statefulsets',
  kind: 'StatefulSet',
  singular: 'statefulset',
  shortNames: ['sts'],
  categories: ['all'],
  namespaced: true,
  hub: 'apps/v1',
  versions: [
    { groupVersion: 'apps/v1', message: 'apps/v1.StatefulSet', setDefaults: setStatefulSetDefaults },
    {
      groupVersion: 'apps/v1beta2',
      message: 'apps/v1beta2.StatefulSet',
      setDefaults: setStatefulSetDefaults,
      deprecation: { deprecatedIn: '1.9', removedIn: '1.16', replacement: 'apps/v1' },
    },
    {
      groupVersion: 'apps/v1beta1',
      message: 'apps/v1beta1.StatefulSet',
      setDefaults: setV1beta1Defaults,
      toHub: selectorToHub,
      fromHub: selectorFromHub,
      deprecation: { deprecatedIn: '1.8', removedIn: '1.16', replacement: 'apps/v1' },
    },
  ],
  storageVersion: 'apps/v1',
  storagePath: 'statefulsets',
  subresources: [
    { name: 'status', verbs: ['get', 'patch', 'update'], validateUpdate: validateStatefulSetStatusUpdate },
    {
      name: 'scale',
      verbs: ['get', 'patch', 'update'],
      scale,
      metadataChecksOnUpdate: ['update', 'object'],
      validateUpdate: validateStatefulSetUpdate,
    },
  ],
  validateName: validateStatefulSetName,
  generationOf: ({ spec }) => spec,
  validate: validateStatefulSet,
  validateUpdate: validateStatefulSetUpdate,
  warnings: statefulSetWarnings,
  garbageCollectionDefault: (requestVersion) => (requestVersion === 'apps/v1' ? 'background' : 'orphan'),
  table: statefulSetTable,
});
