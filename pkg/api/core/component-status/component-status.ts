import { nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import type { ComponentCondition, ComponentStatus } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { NAME_COLUMN } from '../../table-columns.ts';

/** Health of a component of the control plane. Not stored: the server asks the component for each request. */
export const componentStatus = defineResource<ComponentStatus>({
  group: '',
  resource: 'componentstatuses',
  kind: 'ComponentStatus',
  singular: 'componentstatus',
  shortNames: ['cs'],
  namespaced: false,
  verbs: ['get', 'list'],
  virtual: true,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: '',
  versions: [
    {
      groupVersion: 'v1',
      message: 'core/v1.ComponentStatus',
      deprecation: { deprecatedIn: '1.19' },
    },
  ],
  validateName: nameIsPathSegment,
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Status', type: 'string', description: 'Healthy, Unhealthy, or Unknown.' },
      { name: 'Message', type: 'string', description: 'What the part said.' },
      { name: 'Error', type: 'string', description: 'Why it could not be asked, or what is wrong with it.' },
    ],
    row: ({ metadata, conditions }) => ({
      cells: [metadata.name ?? '', ...healthCells(conditions?.find(({ type }) => type === 'Healthy'))],
    }),
  },
});

function healthCells(healthy: ComponentCondition | undefined): [status: string, message: string, error: string] {
  if (healthy === undefined) return ['Unknown', '', ''];
  return [healthy.status === 'True' ? 'Healthy' : 'Unhealthy', healthy.message ?? '', healthy.error ?? ''];
}
