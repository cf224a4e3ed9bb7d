import type { Deployment } from '../../../generated/types/apps-v1.ts';
import { defineResource, type ScaleAccess, type SubresourceDefinition } from '../../resource-definition.ts';
import { appsToHub, v1beta1FromHub, v1beta1ToHub } from './conversion.ts';
import { setAppsV1beta1Defaults, setDeploymentDefaults, setExtensionsV1beta1Defaults } from './defaults.ts';
import { templateWarnings } from '../template-warnings.ts';
import { deploymentTable } from './table.ts';
import {
  validateDeployment,
  validateDeploymentName,
  validateDeploymentStatusUpdate,
  validateDeploymentUpdate,
} from './validation.ts';
import { selectorScale } from '../selector-scale.ts';

const scale: ScaleAccess<Deployment> = {
  get: ({ spec, status }) => ({
    specReplicas: spec.replicas ?? 0,
    statusReplicas: status.replicas ?? 0,
    ...selectorScale(spec.selector),
  }),
  set(object, replicas) {
    object.spec.replicas = replicas;
  },
};

function rollbackOf(group: string): SubresourceDefinition<Deployment> {
  return {
    name: 'rollback',
    verbs: ['create'],
    body: { group, version: 'v1beta1', kind: 'DeploymentRollback' },
    groupVersions: [`${group}/v1beta1`],
  };
}

export const deployment = defineResource<Deployment>({
  group: 'apps',
  resource: 'deployments',
  kind: 'Deployment',
  singular: 'deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  namespaced: true,
  hub: 'apps/v1',
  versions: [
    { groupVersion: 'apps/v1', message: 'apps/v1.Deployment', setDefaults: setDeploymentDefaults, toHub: appsToHub },
    {
      groupVersion: 'apps/v1beta2',
      message: 'apps/v1beta2.Deployment',
      setDefaults: setDeploymentDefaults,
      toHub: appsToHub,
      deprecation: { deprecatedIn: '1.9', removedIn: '1.16', replacement: 'apps/v1' },
    },
    {
      groupVersion: 'apps/v1beta1',
      message: 'apps/v1beta1.Deployment',
      setDefaults: setAppsV1beta1Defaults,
      toHub: v1beta1ToHub,
      fromHub: v1beta1FromHub,
      deprecation: { deprecatedIn: '1.8', removedIn: '1.16', replacement: 'apps/v1' },
    },
    {
      groupVersion: 'extensions/v1beta1',
      message: 'extensions/v1beta1.Deployment',
      setDefaults: setExtensionsV1beta1Defaults,
      toHub: v1beta1ToHub,
      fromHub: v1beta1FromHub,
      deprecation: { deprecatedIn: '1.8', removedIn: '1.16', replacement: 'apps/v1' },
    },
  ],
  storageVersion: 'apps/v1',
  storagePath: 'deployments',
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      prepareForUpdate(object, old) {
        object.metadata.labels = old.metadata.labels;
        if (object.metadata.labels === undefined) delete object.metadata.labels;
      },
      validateUpdate: validateDeploymentStatusUpdate,
    },
    {
      name: 'scale',
      verbs: ['get', 'patch', 'update'],
      scale,
      metadataChecksOnUpdate: ['update'],
      validateUpdate: validateDeploymentUpdate,
    },
    rollbackOf('apps'),
    rollbackOf('extensions'),
  ],
  validateName: validateDeploymentName,
  metadataChecksOnUpdate: ['update'],
  // Annotations are copied to the replica sets, so that the controller has to see changes of them too.
  generationOf: ({ metadata, spec }) => ({ spec, annotations: metadata.annotations }),
  validate: validateDeployment,
  validateUpdate: validateDeploymentUpdate,
  warnings: templateWarnings,
  garbageCollectionDefault: (requestVersion) => (requestVersion === 'apps/v1' ? 'background' : 'orphan'),
  table: deploymentTable,
});
