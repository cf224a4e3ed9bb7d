import type { StatefulSet } from '../../../generated/types/apps-v1.ts';
import { containerImages, containerNames } from '../../core/pod-spec/table-cells.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';

export const statefulSetTable: TableDefinition<StatefulSet> = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the stateful set, unique in its namespace.' },
    { name: 'Ready', type: 'string', description: 'Pods that are ready, of those that are wanted.' },
    { name: 'Age', type: 'string', description: 'Time since the stateful set was created.' },
    { name: 'Containers', type: 'string', priority: 1, description: 'Names of the containers in the template.' },
    { name: 'Images', type: 'string', priority: 1, description: 'Images of the containers in the template.' },
  ],
  row({ metadata, spec, status }, nowMs) {
    return {
      cells: [
        metadata.name ?? '',
        `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
        age(metadata.creationTimestamp, nowMs),
        containerNames(spec.template.spec),
        containerImages(spec.template.spec),
      ],
    };
  },
};
