import type { Ingress, IngressLoadBalancerStatus, IngressRule } from '../../../generated/types/networking-v1.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';

const HOSTS_SHOWN_MAX = 3;

export const ingressTable: TableDefinition<Ingress> = {
  columns: [
    NAME_COLUMN,
    { name: 'Class', type: 'string', description: 'IngressClass whose controller serves this Ingress.' },
    { name: 'Hosts', type: 'string', description: 'Hosts that requests are matched by, or * for all.' },
    { name: 'Address', type: 'string', description: 'Addresses of the load balancer that answers.' },
    { name: 'Ports', type: 'string', description: 'Ports it answers at: 443 too when there is TLS.' },
    AGE_COLUMN,
  ],
  row: (ingress, nowMs) => ({
    cells: [
      ingress.metadata.name ?? '',
      ingress.spec.ingressClassName ?? '<none>',
      hosts(ingress.spec.rules ?? []),
      addresses(ingress.status.loadBalancer),
      (ingress.spec.tls ?? []).length > 0 ? '80, 443' : '80',
      age(ingress.metadata.creationTimestamp, nowMs),
    ],
  }),
};

function hosts(rules: readonly IngressRule[]): string {
  const shown: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (shown.length === HOSTS_SHOWN_MAX) more = true;
    else if (host) shown.push(host);
  }
  if (shown.length === 0) return '*';
  return more ? `${shown.join(',')} + ${rules.length - HOSTS_SHOWN_MAX} more...` : shown.join(',');
}

function addresses(status: IngressLoadBalancerStatus): string {
  const found = new Set<string>();
  for (const { ip, hostname } of status.ingress ?? []) {
    if (ip || hostname) found.add(ip || hostname || '');
  }
  return [...found].sort().join(',');
}
