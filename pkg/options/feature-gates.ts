import { splitPair, type OptionValues } from './option.ts';

export type GateStage = 'alpha' | 'beta' | 'stable' | 'deprecated';

/** One feature of document 2, Versioning. */
export interface FeatureGate {
  readonly stage: GateStage;
  readonly default: boolean;
  /** The spelling of document 2, where it has a neutral word for a vendor's. */
  readonly alias?: string;
  /**
   * `acts`: this server does something else when it is on; `fields`: the fields of the feature are kept, as later releases do, unless the gate is
   * turned off by name; `elsewhere`: a matter of other components, accepted and checked.
   */
  readonly here: 'acts' | 'fields' | 'elsewhere';
}

const alpha = (here: FeatureGate['here'], alias?: string): FeatureGate => ({ stage: 'alpha', default: false, here, ...(alias === undefined ? {} : { alias }) });
const beta = (here: FeatureGate['here'], alias?: string): FeatureGate => ({ stage: 'beta', default: true, here, ...(alias === undefined ? {} : { alias }) });
const stable = (here: FeatureGate['here']): FeatureGate => ({ stage: 'stable', default: true, here });

/** Every gate by the name that manifests carry. */
export const featureGates = {
  APIListChunking: beta('acts'),
  APIResponseCompression: alpha('acts'),
  AdvancedAuditing: beta('acts'),
  AllAlpha: alpha('acts'),
  AppArmor: beta('elsewhere'),
  AttachVolumeLimit: alpha('elsewhere'),
  BalanceAttachedNodeVolumes: alpha('elsewhere'),
  BlockVolume: alpha('fields'),
  CPUManager: beta('elsewhere'),
  CRIContainerLogRotation: beta('elsewhere'),
  CSIBlockVolume: alpha('elsewhere'),
  CSIPersistentVolume: beta('elsewhere'),
  CustomPodDNS: beta('fields'),
  CustomResourceSubresources: beta('fields'),
  CustomResourceValidation: beta('fields'),
  DebugContainers: alpha('elsewhere'),
  DevicePlugins: beta('elsewhere'),
  DynamicKubeletConfig: beta('fields', 'DynamicNodeAgentConfig'),
  DynamicProvisioningScheduling: alpha('fields'),
  EnableEquivalenceClassCache: alpha('elsewhere'),
  ExpandInUsePersistentVolumes: alpha('elsewhere'),
  ExpandPersistentVolumes: beta('fields'),
  ExperimentalCriticalPodAnnotation: alpha('acts'),
  ExperimentalHostUserNamespaceDefaulting: { stage: 'beta', default: false, here: 'elsewhere' },
  GCERegionalPersistentDisk: beta('elsewhere', 'CloudRegionalPersistentDisk'),
  HugePages: beta('elsewhere'),
  HyperVContainer: alpha('elsewhere', 'HypervisorContainer'),
  Initializers: alpha('acts'),
  KubeletPluginsWatcher: alpha('elsewhere', 'NodeAgentPluginsWatcher'),
  LocalStorageCapacityIsolation: beta('fields'),
  MountContainers: alpha('elsewhere'),
  MountPropagation: beta('fields'),
  PersistentLocalVolumes: beta('elsewhere'),
  PodPriority: beta('acts'),
  PodReadinessGates: { stage: 'beta', default: false, here: 'fields' },
  PodShareProcessNamespace: alpha('fields'),
  QOSReserved: alpha('elsewhere'),
  ReadOnlyAPIDataVolumes: { stage: 'deprecated', default: true, here: 'elsewhere' },
  ResourceLimitsPriorityFunction: alpha('elsewhere'),
  ResourceQuotaScopeSelectors: alpha('fields'),
  RotateKubeletClientCertificate: beta('elsewhere', 'RotateNodeAgentClientCertificate'),
  RotateKubeletServerCertificate: alpha('elsewhere', 'RotateNodeAgentServerCertificate'),
  RunAsGroup: alpha('fields'),
  ScheduleDaemonSetPods: alpha('elsewhere'),
  ServiceNodeExclusion: alpha('elsewhere'),
  ServiceProxyAllowExternalIPs: { stage: 'deprecated', default: false, here: 'elsewhere' },
  StorageObjectInUseProtection: stable('acts'),
  StreamingProxyRedirects: beta('elsewhere'),
  SupportIPVSProxyMode: stable('elsewhere'),
  SupportPodPidsLimit: alpha('elsewhere'),
  Sysctls: beta('fields'),
  TaintBasedEvictions: alpha('elsewhere'),
  TaintNodesByCondition: alpha('elsewhere'),
  TokenRequest: alpha('acts'),
  TokenRequestProjection: alpha('acts'),
  VolumeScheduling: beta('fields'),
  VolumeSubpath: stable('fields'),
  VolumeSubpathEnvExpansion: alpha('fields'),
} as const satisfies Record<string, FeatureGate>;

export type GateName = keyof typeof featureGates;

const byAlias = new Map<string, GateName>(
  (Object.entries(featureGates) as [GateName, FeatureGate][]).flatMap(([name, gate]) => (gate.alias === undefined ? [] : [[gate.alias, name] as const])),
);

function gateNamed(text: string): GateName | undefined {
  return Object.hasOwn(featureGates, text) ? (text as GateName) : byAlias.get(text);
}

/** What is wrong with one `Name=true` of `--feature-gates`. */
export function checkFeatureGate(pair: string): string | undefined {
  const [name] = splitPair(pair);
  return gateNamed(name) === undefined ? `no such feature: ${name}` : undefined;
}

/** Which features are on. */
export class FeatureGates {
  private readonly named: ReadonlyMap<GateName, boolean>;
  private readonly defaults: ReadonlySet<GateName>;

  /** `named`: what the option says, by name or alias; `defaultsOn`: gates that are on here although the table has them off. */
  constructor(named: ReadonlyMap<string, boolean>, defaultsOn: readonly GateName[] = []) {
    this.named = new Map([...named].flatMap(([text, on]) => {
      const name = gateNamed(text);
      return name === undefined ? [] : [[name, on] as const];
    }));
    this.defaults = new Set(defaultsOn);
  }

  /**
   * The gates of one start. Tokens can be requested where there is a key to sign them, and with `up`, which has one: manifests of releases
   * in which the feature has no gate any more give the key alone.
   */
  static of(options: OptionValues): FeatureGates {
    const named = new Map([...options.map('feature-gates')].map(([name, value]) => [name, value === 'true'] as const));
    const signs = options.component === 'up' || options.string('service-account-signing-key-file') !== '';
    return new FeatureGates(named, signs ? ['TokenRequest', 'TokenRequestProjection'] : []);
  }

  /** A gate named by the option, then `AllAlpha` for alpha features, then the default. */
  enabled(name: GateName): boolean {
    const gate: FeatureGate = featureGates[name];
    return this.named.get(name) ?? (gate.stage === 'alpha' && this.named.get('AllAlpha') ? true : this.defaults.has(name) || gate.default);
  }

  /** Turned off by name: fields of a feature go only then, since releases in which it has no gate any more keep them. */
  turnedOff(name: GateName): boolean {
    return this.named.get(name) === false;
  }
}
