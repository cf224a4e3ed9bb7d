import type { Service, ServiceSpec } from '../../../generated/types/core-v1.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age, labelsText } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';

export const serviceTable: TableDefinition<Service> = {
  columns: [
    NAME_COLUMN,
    { name: 'Type', type: 'string', description: 'From where the service can be reached.' },
    { name: 'Cluster-IP', type: 'string', description: 'Address inside of the cluster.' },
    { name: 'External-IP', type: 'string', description: 'Addresses or name outside of the cluster.' },
    { name: 'Port(s)', type: 'string', description: 'Ports, each with its port on nodes, if any, and its protocol.' },
    AGE_COLUMN,
    { name: 'Selector', type: 'string', priority: 1, description: 'Labels of the pods behind the service.' },
  ],
  row: (service, nowMs) => ({
    cells: [
      service.metadata.name ?? '',
      service.spec.type ?? '',
      service.spec.clusterIPs?.[0] ?? '<none>',
      externalAddresses(service),
      ports(service.spec),
      age(service.metadata.creationTimestamp, nowMs),
      labelsText(service.spec.selector),
    ],
  }),
};

function externalAddresses({ spec, status }: Service): string {
  const external = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer': {
      const balanced = new Set((status.loadBalancer.ingress ?? []).flatMap(({ ip, hostname }) => ip || hostname || []));
      return [...[...balanced].sort(), ...external].join(',') || '<pending>';
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

function ports(spec: ServiceSpec): string {
  const texts = (spec.ports ?? []).map(
    ({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`,
  );
  return texts.join(',') || '<none>';
}
