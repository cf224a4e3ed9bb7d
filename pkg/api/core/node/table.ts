import type { Node } from '../../../generated/types/core-v1.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';

const ROLE_LABEL_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

export const nodeTable: TableDefinition<Node> = {
  columns: [
    NAME_COLUMN,
    { name: 'Status', type: 'string', description: 'Whether it is ready, and whether new pods may be placed on it.' },
    { name: 'Roles', type: 'string', description: 'Roles that its labels give it.' },
    AGE_COLUMN,
    { name: 'Version', type: 'string', description: 'Version of its agent.' },
    { name: 'Internal-IP', type: 'string', priority: 1, description: 'First address of the kind InternalIP.' },
    { name: 'External-IP', type: 'string', priority: 1, description: 'First address of the kind ExternalIP.' },
    { name: 'OS-Image', type: 'string', priority: 1, description: 'Operating system that it reports.' },
    { name: 'Kernel-Version', type: 'string', priority: 1, description: 'Kernel that it reports.' },
    {
      name: 'Container-Runtime',
      type: 'string',
      priority: 1,
      description: 'Container runtime and version that it reports.',
    },
  ],
  row: (node, nowMs) => {
    const { kubeletVersion, osImage, kernelVersion, containerRuntimeVersion } = node.status.nodeInfo;
    return {
      cells: [
        node.metadata.name ?? '',
        statusText(node),
        roles(node.metadata.labels ?? {}),
        age(node.metadata.creationTimestamp, nowMs),
        kubeletVersion,
        address(node, 'InternalIP'),
        address(node, 'ExternalIP'),
        osImage || '<unknown>',
        kernelVersion || '<unknown>',
        containerRuntimeVersion || '<unknown>',
      ],
    };
  },
};

function statusText({ spec, status }: Node): string {
  const ready = status.conditions?.findLast((condition) => condition.type === 'Ready');
  const readiness = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec.unschedulable ? `${readiness},SchedulingDisabled` : readiness;
}

function roles(labels: Readonly<Record<string, string>>): string {
  const found = new Set<string>();
  for (const [key, value] of Object.entries(labels)) {
    if (key.startsWith(ROLE_LABEL_PREFIX)) found.add(key.slice(ROLE_LABEL_PREFIX.length));
    else if (key === ROLE_LABEL) found.add(value);
  }
  found.delete('');
  return found.size === 0 ? '<none>' : [...found].sort().join(',');
}

function address({ status }: Node, type: string): string {
  return status.addresses?.find((entry) => entry.type === type)?.address ?? '<none>';
}
