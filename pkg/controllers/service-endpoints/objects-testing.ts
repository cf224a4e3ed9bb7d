import type { Pod, Service } from '../../generated/types/core-v1.ts';

export const labels = { app: 'web' };
const READY_AT = '2026-01-01T00:00:00Z';

/** For tests: a service `web` of namespace `ns`. */
export function serviceOf(spec: Partial<Service['spec']> = {}): Service {
  return {
    metadata: { name: 'web', namespace: 'ns' },
    spec: {
      selector: labels,
      clusterIP: '10.96.0.1',
      ipFamilies: ['IPv4'],
      ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }],
      ...spec,
    },
    status: { loadBalancer: {} },
  };
}

interface PodOptions {
  readonly ready?: boolean;
  /** Of a port `web`. */
  readonly port?: number;
  readonly hostname?: string;
  readonly subdomain?: string;
  /** Default: `n`; empty: none. */
  readonly node?: string;
  readonly ipv6?: string;
}

/** For tests: a pod that `serviceOf` selects. */
export function podOf(name: string, ip: string, options: PodOptions = {}): Pod {
  const { ready = true, port, hostname, subdomain, node = 'n', ipv6 } = options;
  return {
    metadata: { name, namespace: 'ns', labels, uid: name },
    spec: {
      containers: [
        {
          name: 'main',
          resources: {},
          ...(port === undefined ? {} : { ports: [{ name: 'web', containerPort: port }] }),
        },
      ],
      ...(hostname === undefined ? {} : { hostname, subdomain }),
      ...(node === '' ? {} : { nodeName: node }),
    },
    status: {
      phase: 'Running',
      podIP: ip,
      podIPs: [{ ip }, ...(ipv6 === undefined ? [] : [{ ip: ipv6 }])],
      conditions: [
        { type: 'Ready', status: ready ? 'True' : 'False', lastProbeTime: null, lastTransitionTime: READY_AT },
      ],
    },
  };
}
