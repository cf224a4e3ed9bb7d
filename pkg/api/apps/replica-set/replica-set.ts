import type { ReplicaSet } from '../../../generated/types/apps-v1.ts';
import type { ReplicaSet as ReplicaSetV1beta1 } from '../../../generated/types/extensions-v1beta1.ts';
import { setPodTemplateDefaults } from '../../core/pod-spec/defaults.ts';
import { defineResource, type ScaleAccess } from '../../resource-definition.ts';
import { selectorFromHub, selectorToHub } from '../selector-presence.ts';
import { selectorScale } from '../selector-scale.ts';
import { defaultFromTemplateLabels } from '../template-labels.ts';
import { templateWarnings } from '../template-warnings.ts';
import { replicaSetTable } from './table.ts';
import {
  validateReplicaSet,
  validateReplicaSetName,
  validateReplicaSetStatusUpdate,
  validateReplicaSetUpdate,
} from './validation.ts';

function setReplicaSetDefaults({ spec }: ReplicaSet | ReplicaSetV1beta1): void {
  setPodTemplateDefaults(spec.template);
  spec.replicas ??= 1;
}

function setExtensionsV1beta1Defaults(object: ReplicaSetV1beta1): void {
  defaultFromTemplateLabels(object);
  setReplicaSetDefaults(object);
}

const scale: ScaleAccess<ReplicaSet> = {
  get: ({ spec, status }) => ({
    specReplicas: spec.replicas ?? 0,
    statusReplicas: status.replicas,
    ...selectorScale(spec.selector),
  }),
  set(object, replicas) {
    object.spec.replicas = replicas;
  },
};

export const replicaSet = defineResource<ReplicaSet>({
  group: 'apps',
  resource: 'replicasets',
  kind: 'ReplicaSet',
  singular: 'replicaset',
  shortNames: ['rs'],
  categories: ['all'],
  namespaced: true,
  hub: 'apps/v1',
  versions: [
    { groupVersion: 'apps/v1', message: 'apps/v1.ReplicaSet', setDefaults: setReplicaSetDefaults },
    {
      groupVersion: 'apps/v1beta2',
      message: 'apps/v1beta2.ReplicaSet',
      setDefaults: setReplicaSetDefaults,
      deprecation: { deprecatedIn: '1.9', removedIn: '1.16', replacement: 'apps/v1' },
    },
    {
      groupVersion: 'extensions/v1beta1',
      message: 'extensions/v1beta1.ReplicaSet',
      setDefaults: setExtensionsV1beta1Defaults,
      toHub: selectorToHub,
      fromHub: selectorFromHub,
      deprecation: { deprecatedIn: '1.8', removedIn: '1.16', replacement: 'apps/v1' },
    },
  ],
  storageVersion: 'apps/v1',
  storagePath: 'replicasets',
  subresources: [
    { name: 'status', verbs: ['get', 'patch', 'update'], validateUpdate: validateReplicaSetStatusUpdate },
    {
      name: 'scale',
      verbs: ['get', 'patch', 'update'],
      scale,
      metadataChecksOnUpdate: ['update', 'object'],
      validateUpdate: validateReplicaSetUpdate,
    },
  ],
  validateName: validateReplicaSetName,
  generationOf: ({ spec }) => spec,
  validate: validateReplicaSet,
  validateUpdate: validateReplicaSetUpdate,
  warnings: templateWarnings,
  garbageCollectionDefault: (requestVersion) => (requestVersion === 'apps/v1' ? 'background' : 'orphan'),
  table: replicaSetTable,
});
