import { nameIsDns1123Subdomain } from '../../apimachinery/names/names.ts';
import type { NodeMetrics, PodMetrics } from '../../generated/types/metrics-v1beta1.ts';
import { defineResource } from '../resource-definition.ts';
import { NAME_COLUMN } from '../table-columns.ts';

const shared = {
  group: 'metrics.k8s.io',
  singular: '',
  verbs: ['get', 'list'],
  virtual: true,
  hub: 'metrics.k8s.io/v1beta1',
  storageVersion: 'metrics.k8s.io/v1beta1',
  storagePath: '',
  validateName: nameIsDns1123Subdomain,
} as const;

const columns = [NAME_COLUMN, { name: 'Window', type: 'string', description: 'How long was measured.' }] as const;

/** What nodes use. Not stored, and served only where something measures it. */
export const nodeMetrics = defineResource<NodeMetrics>({
  ...shared,
  resource: 'nodes',
  kind: 'NodeMetrics',
  namespaced: false,
  versions: [{ groupVersion: shared.hub, message: 'metrics/v1beta1.NodeMetrics' }],
  table: { columns, row: ({ metadata, window }) => ({ cells: [metadata.name ?? '', window] }) },
});

/** What the containers of pods use. */
export const podMetrics = defineResource<PodMetrics>({
  ...shared,
  resource: 'pods',
  kind: 'PodMetrics',
  namespaced: true,
  versions: [{ groupVersion: shared.hub, message: 'metrics/v1beta1.PodMetrics' }],
  table: { columns, row: ({ metadata, window }) => ({ cells: [metadata.name ?? '', window] }) },
});
