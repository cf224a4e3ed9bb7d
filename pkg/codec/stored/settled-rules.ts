/**
 * What a stored message needs for its defaults to change nothing. Stored objects were defaulted when they were written,
 * so that nearly all pass; those of writers with fewer defaults do not, and are decoded. Stricter than the defaults
 * themselves where that is simpler. `stored-item.test.ts` tests the rules against the defaults of each kind.
 */
export interface SettledRule {
  /** Present, and not zero. */
  readonly set?: readonly string[];
  /** Present. */
  readonly present?: readonly string[];
  /** Absent, or zero. */
  readonly unset?: readonly string[];
  /** Two strings that are equal. */
  readonly equal?: readonly [string, string];
  /** Each key of the first map is one of the second. */
  readonly covered?: readonly [string, string];
  /** Quantities that no default rounds. */
  readonly whole?: readonly string[];
  /** One of its fields is present. */
  readonly notEmpty?: boolean;
}

/** A kind whose defaults the rules cover. */
interface SettledKind {
  /** Text in metadata that a default removes. */
  readonly removed?: Buffer;
  /** The conversion to the hub changes nothing either where the rules are kept. */
  readonly coversToHub?: boolean;
}

/** By message. */
export const settledKinds: ReadonlyMap<string, SettledKind> = new Map<string, SettledKind>([
  ['core/v1.Pod', { removed: Buffer.from('kubernetes.io/init-container') }],
  ['core/v1.Secret', { coversToHub: true }],
  ['core/v1.Node', { coversToHub: true }],
  ['core/v1.Endpoints', {}],
  ['discovery/v1.EndpointSlice', {}],
]);

const container: SettledRule = { set: ['imagePullPolicy', 'terminationMessagePath', 'terminationMessagePolicy'] };
const filesWithMode: SettledRule = { present: ['defaultMode'] };

export const settledRules: Readonly<Record<string, SettledRule>> = {
  'core/v1.PodSpec': {
    set: ['dnsPolicy', 'restartPolicy', 'schedulerName'],
    present: ['securityContext', 'terminationGracePeriodSeconds', 'enableServiceLinks'],
    unset: ['hostNetwork', 'overhead', 'resources'],
    equal: ['serviceAccountName', 'serviceAccount'],
  },
  // A default keeps `podIP` and `podIPs` consistent.
  'core/v1.PodStatus': { equal: ['podIP', 'podIPs'] },
  'core/v1.Container': container,
  'core/v1.ContainerPort': { set: ['protocol'] },
  'core/v1.ObjectFieldSelector': { set: ['apiVersion'] },
  'core/v1.ResourceRequirements': { covered: ['limits', 'requests'], whole: ['limits', 'requests'] },
  'core/v1.Probe': { set: ['timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] },
  'core/v1.HTTPGetAction': { set: ['path', 'scheme'] },
  'core/v1.GRPCAction': { present: ['service'] },
  // The source, whose fields are the volume's own in JSON.
  'core/v1.Volume': { present: [''] },
  'core/v1.VolumeSource': {
    notEmpty: true,
    unset: ['iscsi', 'rbd', 'azureDisk', 'scaleIO', 'image', 'ephemeral'],
  },
  'core/v1.HostPathVolumeSource': { present: ['type'] },
  'core/v1.SecretVolumeSource': filesWithMode,
  'core/v1.ConfigMapVolumeSource': filesWithMode,
  'core/v1.DownwardAPIVolumeSource': filesWithMode,
  'core/v1.ProjectedVolumeSource': filesWithMode,
  'core/v1.ServiceAccountTokenProjection': { present: ['expirationSeconds'] },
  'core/v1.Secret': { set: ['type'], unset: ['stringData'] },
  // A conversion brings `podCIDR` and `podCIDRs` together.
  'core/v1.NodeSpec': { equal: ['podCIDR', 'podCIDRs'] },
  'core/v1.NodeStatus': { present: ['allocatable'], whole: ['capacity', 'allocatable'] },
  'core/v1.EndpointPort': { set: ['protocol'] },
  'discovery/v1.EndpointPort': { present: ['name', 'protocol'] },
  'core/v1.PodCertificateProjection': { present: ['maxExpirationSeconds'] },
};
