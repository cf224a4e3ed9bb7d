import { field } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { ReplicationController } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age, labelsText } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { containerImages, containerNames } from '../pod-spec/table-cells.ts';
import { podTemplateWarnings } from '../pod-spec/warnings.ts';
import { setReplicationControllerDefaults } from './defaults.ts';
import {
  validateReplicationController,
  validateReplicationControllerStatusUpdate,
  validateReplicationControllerUpdate,
} from './validation.ts';

/** Keeps a number of equal pods running; the ancestor of ReplicaSets. */
export const replicationController = defineResource<ReplicationController>({
  group: '',
  resource: 'replicationcontrollers',
  kind: 'ReplicationController',
  singular: 'replicationcontroller',
  shortNames: ['rc'],
  categories: ['all'],
  namespaced: true,
  hub: 'v1',
  versions: [
    { groupVersion: 'v1', message: 'core/v1.ReplicationController', setDefaults: setReplicationControllerDefaults },
  ],
  storageVersion: 'v1',
  storagePath: 'controllers',
  subresources: [
    {
      name: 'scale',
      verbs: ['get', 'patch', 'update'],
      body: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      scale: {
        get: ({ spec, status }) => ({
          specReplicas: spec.replicas ?? 0,
          statusReplicas: status.replicas,
          selector: Object.entries(spec.selector ?? {})
            .map(([key, value]) => `${key}=${value}`)
            .sort()
            .join(','),
          matchLabels: spec.selector,
        }),
        set({ spec }, replicas) {
          spec.replicas = replicas;
        },
      },
      validateUpdate: validateReplicationControllerUpdate,
    },
    { name: 'status', verbs: ['get', 'patch', 'update'], validateUpdate: validateReplicationControllerStatusUpdate },
  ],
  validateName: nameIsDns1123Subdomain,
  generationOf: (object) => object.spec,
  validate: validateReplicationController,
  validateUpdate: validateReplicationControllerUpdate,
  warnings(object, old) {
    const { template } = object.spec;
    const changed = old === undefined || old.metadata.generation !== object.metadata.generation;
    return changed && template !== undefined ? podTemplateWarnings(template, field('spec', 'template')) : [];
  },
  garbageCollectionDefault: () => 'orphan',
  fieldLabels: { 'status.replicas': ({ status }) => String(status.replicas) },
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Desired', type: 'integer', description: 'How many pods there should be.' },
      { name: 'Current', type: 'integer', description: 'How many pods there are.' },
      { name: 'Ready', type: 'integer', description: 'How many of the pods are ready.' },
      AGE_COLUMN,
      { name: 'Containers', type: 'string', priority: 1, description: 'Names of the containers in the template.' },
      { name: 'Images', type: 'string', priority: 1, description: 'Images of the containers in the template.' },
      { name: 'Selector', type: 'string', priority: 1, description: 'Labels of the pods that count.' },
    ],
    row: ({ metadata, spec, status }, nowMs) => ({
      cells: [
        metadata.name ?? '',
        spec.replicas ?? 0,
        status.replicas,
        status.readyReplicas ?? 0,
        age(metadata.creationTimestamp, nowMs),
        containerNames(spec.template?.spec),
        containerImages(spec.template?.spec),
        labelsText(spec.selector),
      ],
    }),
  },
});
