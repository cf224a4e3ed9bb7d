import type { ReplicaSet } from '../../../generated/types/apps-v1.ts';
import { containerImages, containerNames } from '../../core/pod-spec/table-cells.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age, labelSelectorText } from '../../table-cells.ts';

export const replicaSetTable: TableDefinition<ReplicaSet> = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the replica set, unique in its namespace.' },
    { name: 'Desired', type: 'integer', description: 'Pods that are wanted.' },
    { name: 'Current', type: 'integer', description: 'Pods that exist.' },
    { name: 'Ready', type: 'integer', description: 'Pods that are ready.' },
    { name: 'Age', type: 'string', description: 'Time since the replica set was created.' },
    { name: 'Containers', type: 'string', priority: 1, description: 'Names of the containers in the template.' },
    { name: 'Images', type: 'string', priority: 1, description: 'Images of the containers in the template.' },
    { name: 'Selector', type: 'string', priority: 1, description: 'Labels by which the replica set finds its pods.' },
  ],
  row({ metadata, spec, status }, nowMs) {
    return {
      cells: [
        metadata.name ?? '',
        spec.replicas ?? 0,
        status.replicas,
        status.readyReplicas ?? 0,
        age(metadata.creationTimestamp, nowMs),
        containerNames(spec.template.spec),
        containerImages(spec.template.spec),
        labelSelectorText(spec.selector),
      ],
    };
  },
};
