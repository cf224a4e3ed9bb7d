import { processGroup } from './manager-group.ts';

/** Who may read the secure port: the API server is asked. */
export const delegatedAccessOptions = processGroup('Access to the secure port', [
  {
    name: 'authentication-clusterconfig',
    aliases: ['authentication-kubeconfig'],
    type: 'string',
    file: true,
    help: 'Cluster-config file with which tokens are reviewed and the authorities of clients are read; none: the one of the manager',
  },
  {
    name: 'authorization-clusterconfig',
    aliases: ['authorization-kubeconfig'],
    type: 'string',
    file: true,
    help: 'Cluster-config file with which access is reviewed; none: the one of the manager',
  },
  {
    name: 'authentication-skip-lookup',
    type: 'bool',
    default: 'false',
    help: 'Do not read the authorities of clients from the cluster',
  },
  {
    name: 'authentication-tolerate-lookup-failure',
    type: 'bool',
    default: 'false',
    help: 'Start also when these cannot be read; requests without a token are then those of an anonymous user',
  },
  {
    name: 'authorization-always-allow-paths',
    type: 'stringSlice',
    default: '/healthz,/readyz,/livez',
    help: 'Paths that everybody may read; one that ends with * stands for all that begin like it',
  },
  {
    name: 'client-ca-file',
    type: 'string',
    file: true,
    help: 'Authorities of client certificates, besides those of the cluster',
  },
  {
    name: 'requestheader-client-ca-file',
    type: 'string',
    file: true,
    help: 'Authorities of the certificates of proxies that name users in headers',
  },
  { name: 'requestheader-allowed-names', type: 'stringSlice', help: 'Common names of these certificates; none: any' },
  {
    name: 'requestheader-username-headers',
    type: 'stringSlice',
    default: 'X-Remote-User',
    help: 'Headers that name the user',
  },
  {
    name: 'requestheader-group-headers',
    type: 'stringSlice',
    default: 'X-Remote-Group',
    help: 'Headers that name groups',
  },
  {
    name: 'requestheader-extra-headers-prefix',
    type: 'stringSlice',
    default: 'X-Remote-Extra-',
    help: 'Prefixes of headers that say more about the user',
  },
  {
    name: 'authentication-token-webhook-cache-ttl',
    type: 'duration',
    default: '10s',
    help: 'How long the review of a token is used again',
  },
  {
    name: 'authorization-webhook-cache-authorized-ttl',
    type: 'duration',
    default: '10s',
    help: 'How long an allowed access is not reviewed again',
  },
  {
    name: 'authorization-webhook-cache-unauthorized-ttl',
    type: 'duration',
    default: '10s',
    help: 'How long a denied access is not reviewed again',
  },
]);
