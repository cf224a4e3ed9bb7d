import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { RuntimeClass } from '../../../generated/types/node-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { runtimeClassFromAlpha, runtimeClassToAlpha } from './conversion.ts';
import { validateRuntimeClass, validateRuntimeClassUpdate } from './validation.ts';

/** A runtime for containers that pods select by name. */
export const runtimeClass = defineResource<RuntimeClass>({
  group: 'node.k8s.io',
  resource: 'runtimeclasses',
  kind: 'RuntimeClass',
  singular: 'runtimeclass',
  namespaced: false,
  hub: 'node.k8s.io/v1',
  storageVersion: 'node.k8s.io/v1',
  storagePath: 'runtimeclasses',
  versions: [
    { groupVersion: 'node.k8s.io/v1', message: 'node/v1.RuntimeClass' },
    {
      groupVersion: 'node.k8s.io/v1beta1',
      message: 'node/v1beta1.RuntimeClass',
      deprecation: { deprecatedIn: '1.22', removedIn: '1.25', replacement: 'node.k8s.io/v1' },
    },
    {
      groupVersion: 'node.k8s.io/v1alpha1',
      message: 'node/v1alpha1.RuntimeClass',
      served: false,
      toHub: runtimeClassFromAlpha,
      fromHub: runtimeClassToAlpha,
    },
  ],
  validateName: nameIsDns1123Subdomain,
  allowUnconditionalUpdate: false,
  validate: validateRuntimeClass,
  validateUpdate: validateRuntimeClassUpdate,
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Handler', type: 'string', description: 'Name by which container runtimes know the way.' },
      AGE_COLUMN,
    ],
    row: ({ metadata, handler }, nowMs) => ({
      cells: [metadata.name ?? '', handler, age(metadata.creationTimestamp, nowMs)],
    }),
  },
});
