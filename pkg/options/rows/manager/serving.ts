import { port } from '../../checks.ts';
import { servingOptions } from '../serving.ts';
import { processGroup, sameRows } from './manager-group.ts';

/** The ports of the manager. */
export const managerServingOptions = [
  ...processGroup('TLS and network', [
    {
      name: 'secure-port',
      type: 'int',
      default: '10257',
      check: port,
      help: 'HTTPS port for health checks and metrics, for those whom the API server lets read them; 0: none',
    },
    {
      name: 'bind-address',
      type: 'ip',
      default: '0.0.0.0',
      help: 'Address of the secure port; empty: all interfaces',
    },
    {
      name: 'port',
      type: 'int',
      default: '10252',
      check: port,
      deprecated: 'it is open to everybody; use --secure-port',
      help: 'HTTP port without TLS and authentication, for health checks and metrics; 0: none',
    },
    { name: 'address', type: 'ip', default: '0.0.0.0', deprecated: 'use --bind-address', help: 'Address of that port' },
    {
      name: 'cert-dir',
      type: 'string',
      default: '/var/run/kubernetes',
      help: 'Directory in which a self-signed pair is saved when no certificate is given; empty: it is kept in memory',
    },
  ]),
  ...sameRows(servingOptions, [
    'tls-cert-file',
    'tls-private-key-file',
    'tls-sni-cert-key',
    'tls-min-version',
    'tls-cipher-suites',
    'http2-max-streams-per-connection',
    'permit-port-sharing',
    'permit-address-sharing',
  ]),
];
