import type { DaemonSet } from '../../../generated/types/apps-v1.ts';
import { containerImages, containerNames } from '../../core/pod-spec/table-cells.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age, labelSelectorText, labelsText } from '../../table-cells.ts';

export const daemonSetTable: TableDefinition<DaemonSet> = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the daemon set, unique in its namespace.' },
    { name: 'Desired', type: 'integer', description: 'Nodes that should run a pod.' },
    { name: 'Current', type: 'integer', description: 'Nodes that run a pod and should.' },
    { name: 'Ready', type: 'integer', description: 'Nodes whose pod is ready.' },
    { name: 'Up-to-date', type: 'integer', description: 'Nodes whose pod was made from the current template.' },
    { name: 'Available', type: 'integer', description: 'Nodes whose pod has been ready for at least minReadySeconds.' },
    { name: 'Node Selector', type: 'string', description: 'Labels of the nodes that the pods run on.' },
    { name: 'Age', type: 'string', description: 'Time since the daemon set was created.' },
    { name: 'Containers', type: 'string', priority: 1, description: 'Names of the containers in the template.' },
    { name: 'Images', type: 'string', priority: 1, description: 'Images of the containers in the template.' },
    { name: 'Selector', type: 'string', priority: 1, description: 'Labels by which the daemon set finds its pods.' },
  ],
  row({ metadata, spec, status }, nowMs) {
    return {
      cells: [
        metadata.name ?? '',
        status.desiredNumberScheduled,
        status.currentNumberScheduled,
        status.numberReady,
        status.updatedNumberScheduled ?? 0,
        status.numberAvailable ?? 0,
        labelsText(spec.template.spec.nodeSelector),
        age(metadata.creationTimestamp, nowMs),
        containerNames(spec.template.spec),
        containerImages(spec.template.spec),
        labelSelectorText(spec.selector),
      ],
    };
  },
};
