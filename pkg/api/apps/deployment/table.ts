import type { Deployment } from '../../../generated/types/apps-v1.ts';
import { containerImages, containerNames } from '../../core/pod-spec/table-cells.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { compileSelector } from '../pod-template.ts';

export const deploymentTable: TableDefinition<Deployment> = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the deployment, unique in its namespace.' },
    { name: 'Ready', type: 'string', description: 'Pods that are ready, of those that are wanted.' },
    { name: 'Up-to-date', type: 'string', description: 'Pods that were made from the current template.' },
    { name: 'Available', type: 'string', description: 'Pods that have been ready for at least minReadySeconds.' },
    { name: 'Age', type: 'string', description: 'Time since the deployment was created.' },
    { name: 'Containers', type: 'string', priority: 1, description: 'Names of the containers in the template.' },
    { name: 'Images', type: 'string', priority: 1, description: 'Images of the containers in the template.' },
    { name: 'Selector', type: 'string', priority: 1, description: 'Labels by which the deployment finds its pods.' },
  ],
  row({ metadata, spec, status }, nowMs) {
    return {
      cells: [
        metadata.name ?? '',
        `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
        status.updatedReplicas ?? 0,
        status.availableReplicas ?? 0,
        age(metadata.creationTimestamp, nowMs),
        containerNames(spec.template.spec),
        containerImages(spec.template.spec),
        String(compileSelector(spec.selector) ?? ''),
      ],
    };
  },
};
