import { notNegative, oneOf, positive, sameScheme, urlWith, type Check } from '../checks.ts';
import { optionGroup } from '../option.ts';

/** Media types in which objects are stored. */
const storageMediaTypes = ['application/vnd.kubernetes.protobuf', 'application/json', 'application/yaml'] as const;

const serverUrl = urlWith('http', 'https');

/** Options of the store and of the caches. */
export const storageOptions = optionGroup('Storage', [
  {
    name: 'data-dir',
    type: 'string',
    defaults: { up: './.binnacle' },
    help: "Directory of the embedded store; with up, also of the certificates, the administrator's token and the kubeconfig",
  },
  {
    name: 'storage-backend',
    type: 'string',
    default: 'etcd3',
    defaults: { up: 'embedded' },
    check: backend,
    help: 'Where objects are stored: etcd3 or embedded',
  },
  {
    name: 'store-servers',
    aliases: ['etcd-servers'],
    type: 'stringSlice',
    check: serverUrl,
    help: 'Storage servers, scheme://ip:port',
  },
  {
    name: 'store-servers-overrides',
    aliases: ['etcd-servers-overrides'],
    type: 'stringSlice',
    check: serversOverride,
    help: 'Other storage servers for single resources, group/resource#servers, the servers separated by semicolons',
  },
  {
    name: 'store-prefix',
    aliases: ['etcd-prefix'],
    type: 'string',
    default: '/registry',
    help: 'Prefix of all resource paths in storage',
  },
  {
    name: 'store-cafile',
    aliases: ['etcd-cafile'],
    type: 'string',
    file: true,
    help: 'Authorities that verify the storage servers',
  },
  {
    name: 'store-certfile',
    aliases: ['etcd-certfile'],
    type: 'string',
    file: true,
    help: 'Client certificate for storage connections',
  },
  {
    name: 'store-keyfile',
    aliases: ['etcd-keyfile'],
    type: 'string',
    file: true,
    help: 'Private key of that certificate',
  },
  {
    name: 'store-compaction-interval',
    aliases: ['etcd-compaction-interval'],
    type: 'duration',
    default: '5m0s',
    help: 'Time between compactions of history; 0: none',
  },
  {
    name: 'store-count-metric-poll-period',
    aliases: ['etcd-count-metric-poll-period'],
    type: 'duration',
    default: '1m0s',
    help: 'Counts of stored objects per type in the metrics, which are never older than this: they are read at each scrape; 0: none',
  },
  {
    name: 'storage-media-type',
    type: 'string',
    default: 'application/vnd.kubernetes.protobuf',
    check: oneOf(...storageMediaTypes),
    help: `Form in which objects are stored: ${storageMediaTypes.join(', ')}. Types without a protobuf form are stored as JSON in its place`,
  },
  {
    name: 'experimental-encryption-provider-config',
    aliases: ['encryption-provider-config'],
    type: 'string',
    file: true,
    help: 'File that says how values are encrypted before they are stored',
  },
  { name: 'event-ttl', type: 'duration', default: '1h0m0s', help: 'How long Event objects are kept' },
  {
    name: 'watch-cache',
    type: 'bool',
    default: 'true',
    help: 'Changes of the past are kept in memory for watches; without, such watches read the history of the store',
  },
  {
    name: 'default-watch-cache-size',
    type: 'int',
    default: '100',
    check: notNegative,
    help: 'Least number of changes kept per resource for watches from the past, more where changes are frequent; 0: none but for resources with a size of their own',
  },
  {
    name: 'watch-cache-sizes',
    type: 'stringSlice',
    check: watchCacheSize,
    help: 'Changes kept for single resources, resource[.group]#size',
  },
  {
    name: 'target-ram-mb',
    type: 'int',
    check: notNegative,
    help: 'Megabytes for decoded objects and encoded answers; 0: 192',
  },
  {
    name: 'deserialization-cache-size',
    type: 'int',
    check: notNegative,
    help: 'Objects of which decoded and encoded forms are kept in memory; 0: as many as the memory for them holds',
  },
  {
    name: 'enable-garbage-collector',
    type: 'bool',
    default: 'true',
    help: 'Dependents of deleted objects are collected by the controller manager; must be the same there. Without, foreground and orphaning deletes leave no finalizer',
  },
  {
    name: 'lease-reuse-duration-seconds',
    type: 'int',
    default: '60',
    check: positive,
    help: 'Seconds for which events share a lease of the store',
    inert: 'the store chooses how leases are shared',
  },
  {
    name: 'etcd-db-metric-poll-interval',
    type: 'duration',
    default: '30s',
    help: 'Time between looks at the size of the store',
    inert: 'the size is read when metrics are read',
  },
  {
    name: 'etcd-healthcheck-timeout',
    type: 'duration',
    default: '2s',
    help: 'How long the health check of the store may take',
    inert: 'the check has its own bound',
  },
]);

function backend(value: string): string | undefined {
  if (value === 'etcd2')
    return 'etcd2 is no longer supported: migrate the data to etcd3 with the tools of etcd 3.4 first';
  return oneOf('etcd3', 'etcd', 'embedded')(value) === undefined ? undefined : 'must be etcd3 or embedded';
}

function serversOverride(value: string): string | undefined {
  const match = /^([^/#]*)\/([^/#]+)#(.+)$/.exec(value);
  if (match === null) return 'must be group/resource#servers, the servers separated by semicolons';
  const servers = match[3]!.split(';');
  return firstProblem(servers, serverUrl) ?? sameScheme(servers);
}

function firstProblem(items: readonly string[], check: Check): string | undefined {
  return items.map(check).find((problem) => problem !== undefined);
}

function watchCacheSize(value: string): string | undefined {
  return /^[a-z]+(\.[a-z0-9.-]+)?#\d+$/.test(value)
    ? undefined
    : 'must be resource[.group]#size, such as deployments.apps#500';
}
