import type { Component, Option } from './option.ts';

const both: readonly Component[] = ['up', 'apiserver'];
const positive = (value: string): string | undefined => (Number(value) > 0 ? undefined : 'must be above 0');
const notNegative = (value: string): string | undefined => (Number(value) >= 0 ? undefined : 'must not be negative');
const port = (value: string): string | undefined => (Number(value) >= 0 && Number(value) <= 65535 ? undefined : 'must be a port from 0 to 65535');

/** Gates of document 2 that the server acts on, with their defaults. */
export const featureGates = { APIResponseCompression: false } as const satisfies Record<string, boolean>;

function knownGates(value: string): string | undefined {
  const unknown = value.split(',').map((pair) => pair.split('=')[0]!.trim()).filter((name) => !Object.hasOwn(featureGates, name));
  return unknown.length === 0 ? undefined : `no such feature: ${unknown.join(', ')}`;
}

function portRange(value: string): string | undefined {
  const [low, high] = value.split('-').map(Number) as [number, number];
  return low >= 1 && low <= high && high <= 65535 ? undefined : 'must go from a lower to a higher port, at most 65535';
}

/** Every option of the API server (document 2), as far as the server acts on it. */
export const apiServerOptions: readonly Option[] = [
  { name: 'data-dir', type: 'string', default: './.binnacle', group: 'Storage', components: ['up'], help: 'Directory of the embedded store, the certificates and the kubeconfig' },
  {
    name: 'storage-backend', type: 'string', default: 'etcd3', defaults: { up: 'embedded' }, group: 'Storage', components: both,
    help: 'Where objects are stored: etcd3 or embedded',
    check: (v) => (v === 'etcd3' || v === 'etcd' || v === 'embedded' ? undefined : v === 'etcd2' ? 'etcd2 is no longer supported: migrate the data to etcd3 with the tools of etcd 3.4 first' : 'must be etcd3 or embedded'),
  },
  { name: 'store-servers', aliases: ['etcd-servers'], type: 'stringSlice', group: 'Storage', components: both, help: 'Storage servers, scheme://ip:port, separated by commas' },
  { name: 'store-prefix', aliases: ['etcd-prefix'], type: 'string', default: '/registry', group: 'Storage', components: both, help: 'Prefix of all resource paths in storage' },
  { name: 'store-cafile', aliases: ['etcd-cafile'], type: 'string', group: 'Storage', components: both, help: 'Authorities that verify the storage servers' },
  { name: 'store-certfile', aliases: ['etcd-certfile'], type: 'string', group: 'Storage', components: both, help: 'Client certificate for storage connections' },
  { name: 'store-keyfile', aliases: ['etcd-keyfile'], type: 'string', group: 'Storage', components: both, help: 'Private key of that certificate' },
  { name: 'store-compaction-interval', aliases: ['etcd-compaction-interval'], type: 'duration', default: '5m0s', group: 'Storage', components: both, help: 'Time between compactions of history; 0 disables them' },
  { name: 'store-count-metric-poll-period', aliases: ['etcd-count-metric-poll-period'], type: 'duration', default: '1m0s', group: 'Storage', components: both, help: 'Counts of stored objects per type are read at each scrape; 0 leaves them out of the metrics' },
  { name: 'event-ttl', type: 'duration', default: '1h0m0s', group: 'Storage', components: both, help: 'How long Event objects are kept' },
  { name: 'target-ram-mb', type: 'int', default: '192', group: 'Storage', components: both, help: 'Memory for decoded objects and encoded answers, megabytes', check: positive },
  { name: 'default-watch-cache-size', type: 'int', default: '1000', group: 'Storage', components: both, help: 'Changes kept per resource for watches that start in the past', check: positive },
  { name: 'delete-collection-workers', type: 'int', default: '1', group: 'Storage', components: both, help: 'Workers that delete a collection', check: positive },
  { name: 'secure-port', type: 'int', default: '6443', group: 'Serving', components: both, help: 'HTTPS port; with up, 0 picks a free one', check: port },
  { name: 'bind-address', type: 'ip', default: '0.0.0.0', defaults: { up: '127.0.0.1' }, group: 'Serving', components: both, help: 'Address to listen on' },
  { name: 'advertise-address', type: 'ip', group: 'Serving', components: both, help: 'Address told to members of the cluster; by default the bind address, or the first of the host' },
  { name: 'tls-cert-file', type: 'string', group: 'Serving', components: both, help: 'Certificate of the secure port; without one a self-signed pair is made' },
  { name: 'tls-private-key-file', type: 'string', group: 'Serving', components: both, help: 'Private key of that certificate' },
  { name: 'cert-dir', type: 'string', default: '/var/run/kubernetes', group: 'Serving', components: ['apiserver'], help: 'Directory in which a self-signed pair is saved' },
  { name: 'min-request-timeout', type: 'int', default: '1800', group: 'Serving', components: both, help: 'Least time in seconds that a watch without a timeout of its own stays open', check: positive },
  { name: 'feature-gates', type: 'mapStringBool', group: 'Serving', components: both, help: `Features turned on or off, Name=true or Name=false: ${Object.keys(featureGates).join(', ')}`, check: knownGates },
  { name: 'token-file', type: 'string', group: 'Serving', components: ['apiserver'], help: 'File with the administrator\'s bearer token' },
  { name: 'enable-admission-plugins', type: 'stringSlice', group: 'Admission', components: both, help: 'Admission plugins enabled besides the default ones, in any order' },
  { name: 'disable-admission-plugins', type: 'stringSlice', group: 'Admission', components: both, help: 'Admission plugins disabled although they are on by default' },
  { name: 'service-cluster-ip-range', type: 'ipNet', default: '10.0.0.0/24', group: 'Networking', components: both, help: 'Range from which services get their cluster IPs' },
  { name: 'service-node-port-range', type: 'portRange', default: '30000-32767', group: 'Networking', components: both, help: 'Ports for services of type NodePort, both ends included', check: portRange },
  { name: 'cluster-service-node-port', aliases: ['kubernetes-service-node-port'], type: 'int', default: '0', group: 'Networking', components: both, help: 'When not 0, the kubernetes service is a NodePort on this port', check: notNegative },
  { name: 'tracing-otlp-endpoint', type: 'string', group: 'Observability', components: both, help: 'URL of an OpenTelemetry collector (OTLP over HTTP) that receives a span per request' },
  { name: 'v', type: 'int', default: '0', group: 'Observability', components: both, help: 'Verbosity of the log: 0 info, 4 debug, 6 trace', check: notNegative },
];
