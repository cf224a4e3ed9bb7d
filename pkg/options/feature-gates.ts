import { splitPair, type OptionValues } from './option.ts';

export type GateStage = 'alpha' | 'beta' | 'stable' | 'deprecated';

/**
 * One feature: of the stock servers that are followed, or one that release 1.36 has in alpha and that has fields here.
 */
export interface FeatureGate {
  readonly stage: GateStage;
  readonly default: boolean;
  /** The spelling of the reference, where it has a neutral word for a vendor's. */
  readonly alias?: string;
  /**
   * `acts`: this server behaves differently when it is on; `fields`: the fields of the feature are kept, as later
   * releases do, unless the gate is turned off by name; `fields when on`: they are dropped unless the gate is on;
   * `elsewhere`: only other components use it, accepted and checked.
   */
  readonly here: 'acts' | 'fields' | 'fields when on' | 'elsewhere';
  /** The description in the reference. */
  readonly effect: string;
}

type Here = FeatureGate['here'];
const alpha = (here: Here, effect: string, alias?: string): FeatureGate => gate('alpha', false, here, effect, alias);
const beta = (here: Here, effect: string, alias?: string): FeatureGate => gate('beta', true, here, effect, alias);
const stable = (here: Here, effect: string): FeatureGate => gate('stable', true, here, effect);

function gate(stage: GateStage, byDefault: boolean, here: Here, effect: string, alias?: string): FeatureGate {
  return { stage, default: byDefault, here, effect, ...(alias === undefined ? {} : { alias }) };
}

/** Every gate by its name in manifests. */
export const featureGates = {
  APIListChunking: beta('acts', 'Lists in chunks; without, `limit` and `continue` are ignored'),
  APIResponseCompression: alpha('acts', 'Large answers are compressed for clients that take gzip'),
  AdvancedAuditing: beta(
    'acts',
    'Audit by policy; without, the audit log is one line of text per request and response',
  ),
  AllAlpha: alpha('acts', 'Every alpha feature'),
  AppArmor: beta('elsewhere', 'Profiles of containers on nodes'),
  AttachVolumeLimit: alpha('elsewhere', 'Limits of volumes per node, in the scheduler'),
  BalanceAttachedNodeVolumes: alpha('elsewhere', 'Volume counts in the scheduler'),
  BlockVolume: alpha('fields', '`volumeMode` of volumes and claims, `volumeDevices` of containers'),
  CPUManager: beta('elsewhere', 'CPU affinity on nodes'),
  CRIContainerLogRotation: beta('elsewhere', 'Rotation of container logs on nodes'),
  CSIBlockVolume: alpha('elsewhere', 'Block volumes of CSI drivers on nodes'),
  CSIPersistentVolume: beta('elsewhere', 'CSI volumes on nodes'),
  CrossNamespaceVolumeDataSource: alpha('fields when on', '`namespace` in `dataSourceRef` of claims'),
  CustomPodDNS: beta('fields', '`dnsConfig` of pods'),
  CustomResourceSubresources: beta('fields', '`subresources` of custom resource definitions'),
  CustomResourceValidation: beta('fields', '`validation` of custom resource definitions'),
  DRAListTypeAttributes: alpha('fields when on', 'Lists for attributes of devices'),
  DRANodeAllocatableResources: alpha('fields when on', '`nodeAllocatableResourceMappings` of devices'),
  DebugContainers: alpha('elsewhere', 'Debug containers on nodes'),
  DevicePlugins: beta('elsewhere', 'Device plugins on nodes'),
  DynamicKubeletConfig: beta('fields', '`configSource` of nodes', 'DynamicNodeAgentConfig'),
  DynamicProvisioningScheduling: alpha('fields', '`allowedTopologies` of storage classes'),
  EnableEquivalenceClassCache: alpha('elsewhere', 'A cache of the scheduler'),
  ExpandInUsePersistentVolumes: alpha('elsewhere', 'Growing of mounted volumes, on nodes'),
  ExpandPersistentVolumes: beta('fields', '`allowVolumeExpansion` of storage classes'),
  ExperimentalCriticalPodAnnotation: alpha(
    'acts',
    'Pods in kube-system with the annotation `scheduler.alpha.kubernetes.io/critical-pod` get the priority of system-cluster-critical',
  ),
  ExperimentalHostUserNamespaceDefaulting: gate('beta', false, 'elsewhere', 'User namespaces on nodes'),
  GCERegionalPersistentDisk: beta('elsewhere', 'Regional disks of a cloud provider', 'CloudRegionalPersistentDisk'),
  GenericWorkload: alpha('fields when on', '`schedulingGroup` of pods'),
  HugePages: beta('elsewhere', 'Huge pages on nodes'),
  HyperVContainer: alpha('elsewhere', 'Containers of a hypervisor on nodes', 'HypervisorContainer'),
  Initializers: alpha(
    'elsewhere',
    'Objects that wait for initializers: there are no InitializerConfigurations since release 1.14, so none does',
  ),
  KubeletPluginsWatcher: alpha('elsewhere', 'Discovery of plugins on nodes', 'NodeAgentPluginsWatcher'),
  LocalStorageCapacityIsolation: beta('fields', '`sizeLimit` of emptyDir volumes'),
  MountContainers: alpha('elsewhere', 'Mounting with containers on nodes'),
  MountPropagation: beta('fields', '`mountPropagation` of volume mounts'),
  PersistentLocalVolumes: beta('elsewhere', 'Local volumes, in the scheduler and on nodes'),
  PodPriority: beta(
    'acts',
    'The admission plugin Priority; without, `priorityClassName` and `priority` of pods are dropped',
  ),
  PodReadinessGates: gate('beta', false, 'fields', '`readinessGates` of pods'),
  PodShareProcessNamespace: alpha('fields', '`shareProcessNamespace` of pods'),
  QOSReserved: alpha('elsewhere', 'Reserved resources on nodes'),
  ReadOnlyAPIDataVolumes: gate(
    'deprecated',
    true,
    'elsewhere',
    'Read-only volumes of secrets and config maps, on nodes',
  ),
  ResourceLimitsPriorityFunction: alpha('elsewhere', 'A priority of the scheduler'),
  ResourceQuotaScopeSelectors: alpha('fields', '`scopeSelector` of quotas'),
  RotateKubeletClientCertificate: beta(
    'elsewhere',
    'Client certificates of node agents',
    'RotateNodeAgentClientCertificate',
  ),
  RotateKubeletServerCertificate: alpha(
    'elsewhere',
    'Serving certificates of node agents',
    'RotateNodeAgentServerCertificate',
  ),
  RunAsGroup: alpha('fields', '`runAsGroup` of pods and containers'),
  ScheduleDaemonSetPods: alpha('elsewhere', 'Scheduling of daemon sets, in the controller manager'),
  ServiceNodeExclusion: alpha('elsewhere', 'Load balancers of a cloud provider'),
  ServiceProxyAllowExternalIPs: gate('deprecated', false, 'elsewhere', 'External IPs on nodes'),
  StorageObjectInUseProtection: stable('acts', 'The admission plugin of this name'),
  StreamingProxyRedirects: beta('elsewhere', 'Redirects of node agents; they are never followed here'),
  SupportIPVSProxyMode: stable('elsewhere', 'A mode of the service proxy on nodes'),
  SupportPodPidsLimit: alpha('elsewhere', 'Limits of processes on nodes'),
  Sysctls: beta('fields', '`sysctls` of pods'),
  TaintBasedEvictions: alpha('elsewhere', 'Evictions by taints, in the controller manager'),
  TaintNodesByCondition: alpha('elsewhere', 'Taints by conditions, in the controller manager'),
  TokenRequest: alpha('acts', 'Requests for tokens of service accounts. On where there is a key that signs them'),
  TokenRequestProjection: alpha('acts', '`serviceAccountToken` in projected volumes. On where tokens can be requested'),
  VolumeLimitScaling: alpha('fields when on', '`preventPodSchedulingIfMissing` of CSI drivers'),
  VolumeScheduling: beta('fields', '`nodeAffinity` of volumes, `volumeBindingMode` of storage classes'),
  VolumeSubpath: stable('fields', '`subPath` of volume mounts'),
  VolumeSubpathEnvExpansion: alpha('fields', '`subPathExpr` of volume mounts'),
} as const satisfies Record<string, FeatureGate>;

export type GateName = keyof typeof featureGates;

const byAlias = new Map<string, GateName>(
  (Object.entries(featureGates) as [GateName, FeatureGate][]).flatMap(([name, { alias }]) =>
    alias === undefined ? [] : [[alias, name] as const],
  ),
);

function gateNamed(text: string): GateName | undefined {
  return Object.hasOwn(featureGates, text) ? (text as GateName) : byAlias.get(text);
}

/** The problem of one `Name=true` of `--feature-gates`. */
export function checkFeatureGate(pair: string): string | undefined {
  const [name] = splitPair(pair);
  return gateNamed(name) === undefined ? `no such feature: ${name}` : undefined;
}

/** Which features are on. */
export class FeatureGates {
  private readonly named: ReadonlyMap<GateName, boolean>;
  private readonly defaults: ReadonlySet<GateName>;

  /**
   * `named`: the entries of the option, by name or alias; `defaultsOn`: gates that are on here although the table has
   * them off.
   */
  constructor(named: ReadonlyMap<string, boolean>, defaultsOn: readonly GateName[] = []) {
    this.named = new Map(
      [...named].flatMap(([text, on]) => {
        const name = gateNamed(text);
        return name === undefined ? [] : [[name, on] as const];
      }),
    );
    this.defaults = new Set(defaultsOn);
  }

  /**
   * The gates of one start. Tokens can be requested where there is a signing key, and with `up`, which has one:
   * manifests of releases in which the feature has no gate any more give the key alone.
   */
  static of(options: OptionValues): FeatureGates {
    const named = new Map(
      [...options.pairs('feature-gates')].map(([name, value]) => [name, value === 'true'] as const),
    );
    const signs = options.component === 'up' || options.string('service-account-signing-key-file') !== '';
    return new FeatureGates(named, signs ? ['TokenRequest', 'TokenRequestProjection'] : []);
  }

  /** A gate named by the option, then `AllAlpha` for alpha features, then the default. */
  enabled(name: GateName): boolean {
    const row: FeatureGate = featureGates[name];
    return (
      this.named.get(name) ??
      (row.stage === 'alpha' && this.named.get('AllAlpha') ? true : this.defaults.has(name) || row.default)
    );
  }

  /**
   * Turned off by name: fields of a feature of release 1.11 go only then, since releases in which it has no gate any
   * more keep them. Fields that are still alpha go unless the feature is on.
   */
  turnedOff(name: GateName): boolean {
    const row: FeatureGate = featureGates[name];
    return row.here === 'fields when on' ? !this.enabled(name) : this.named.get(name) === false;
  }
}

/**
 * Whether pods get tokens that their node requests: with both features, and a signing key. Without it they would wait
 * for the tokens forever.
 */
export function projectsTokens(options: OptionValues): boolean {
  const gates = FeatureGates.of(options);
  return (
    options.string('service-account-signing-key-file') !== '' &&
    gates.enabled('TokenRequest') &&
    gates.enabled('TokenRequestProjection')
  );
}
