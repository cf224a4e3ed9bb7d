/** One controller as options, health checks and documents name it. */
export interface ControllerName {
  /** Of today's clusters. */
  readonly name: string;
  /** The name of earlier releases, which `--controllers` takes as well. */
  readonly alias: string;
  readonly onByDefault: boolean;
}

const on = (name: string, alias: string): ControllerName => ({ name, alias, onByDefault: true });
const off = (name: string, alias: string): ControllerName => ({ name, alias, onByDefault: false });

/** Every controller that `--controllers` can name. */
export const controllerNames: readonly ControllerName[] = [
  on('deployment-controller', 'deployment'),
  on('replicaset-controller', 'replicaset'),
  on('replicationcontroller-controller', 'replicationcontroller'),
  on('statefulset-controller', 'statefulset'),
  on('daemonset-controller', 'daemonset'),
  on('job-controller', 'job'),
  on('cronjob-controller', 'cronjob'),
  on('ttl-after-finished-controller', 'ttl-after-finished'),
  on('namespace-controller', 'namespace'),
  on('garbage-collector-controller', 'garbagecollector'),
  on('pod-garbage-collector-controller', 'podgc'),
  on('ttl-controller', 'ttl'),
  on('resourcequota-controller', 'resourcequota'),
  on('serviceaccount-controller', 'serviceaccount'),
  on('serviceaccount-token-controller', 'serviceaccount-token'),
  on('legacy-serviceaccount-token-cleaner-controller', 'legacy-service-account-token-cleaner'),
  on('root-ca-certificate-publisher-controller', 'root-ca-cert-publisher'),
  on('disruption-controller', 'disruption'),
  on('clusterrole-aggregation-controller', 'clusterrole-aggregation'),
  off('bootstrap-signer-controller', 'bootstrapsigner'),
  off('token-cleaner-controller', 'tokencleaner'),
  on('endpoints-controller', 'endpoint'),
  on('endpointslice-controller', 'endpointslice'),
  on('endpointslice-mirroring-controller', 'endpointslicemirroring'),
  on('service-lb-controller', 'service'),
  on('certificatesigningrequest-approving-controller', 'csrapproving'),
  on('certificatesigningrequest-signing-controller', 'csrsigning'),
  on('certificatesigningrequest-cleaner-controller', 'csrcleaner'),
  on('node-lifecycle-controller', 'nodelifecycle'),
  on('taint-eviction-controller', 'taint-eviction'),
  on('device-taint-eviction-controller', 'device-taint-eviction-controller'),
  on('node-ipam-controller', 'nodeipam'),
  on('node-route-controller', 'route'),
  on('persistentvolume-binder-controller', 'persistentvolume-binder'),
  on('persistentvolume-expander-controller', 'persistentvolume-expander'),
  on('ephemeral-volume-controller', 'ephemeral-volume'),
  on('persistentvolume-attach-detach-controller', 'attachdetach'),
  on('persistentvolume-protection-controller', 'pv-protection'),
  on('persistentvolumeclaim-protection-controller', 'pvc-protection'),
  on('volumeattributesclass-protection-controller', 'vac-protection'),
  on('horizontal-pod-autoscaler-controller', 'horizontalpodautoscaling'),
  on('resourceclaim-controller', 'resource-claim-controller'),
  on('service-cidr-controller', 'service-cidr'),
  on('validatingadmissionpolicy-status-controller', 'validatingadmissionpolicy-status'),
];

/** Controllers of today's clusters that this program does not have; they may be named, and do nothing. */
const absentNames: readonly string[] = [
  'cloud-node-lifecycle-controller',
  'cloud-node-lifecycle',
  'storageversion-garbage-collector-controller',
  'storage-version-gc',
  'storage-version-migrator-controller',
  'kube-apiserver-serving-clustertrustbundle-publisher-controller',
  'selinux-warning-controller',
  'podcertificaterequest-cleaner-controller',
];

/** The controllers that `--controllers` turns on. The first item that names a controller decides, `*` comes last. */
export function selectedControllers(items: readonly string[]): readonly ControllerName[] {
  return controllerNames.filter(({ name, alias, onByDefault }) => {
    const naming = items.find((item) => [name, alias].includes(item.replace(/^-/, '')));
    return naming === undefined ? onByDefault && items.includes('*') : !naming.startsWith('-');
  });
}

/** Rule for one item of `--controllers`. */
export function controllerSelection(item: string): string | undefined {
  const bare = item.replace(/^-/, '');
  if (item === '*' || absentNames.includes(bare)) return undefined;
  return controllerNames.some(({ name, alias }) => name === bare || alias === bare)
    ? undefined
    : 'must be *, the name of a controller, or - and such a name';
}
