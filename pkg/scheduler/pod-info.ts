import type { LabelSelectorObject } from '../apimachinery/selectors/label-selector.ts';
import { labelSelectorAsSelector, LabelSelector, labelRequirement } from '../apimachinery/selectors/label-selector.ts';
import type { Labels } from '../apimachinery/selectors/label-requirement.ts';
import type { Pod, PodAffinityTerm } from '../generated/types/core-v1.ts';
import { claimNamesOf } from '../controllers/owned/pods-by-claim.ts';
import { podRequests, podWeights, type Amounts } from './resource-amounts.ts';

/** Whether a pod is to be, or not to be, in the same domain of a topology as the pods that a selector finds. */
export interface AffinityTerm {
  readonly topologyKey: string;
  /** Of a preference. */
  readonly weight: number;
  /** `labels` are those of the pod's namespace. */
  matches(namespace: string, labels: Labels | undefined, namespaceLabels: Labels | undefined): boolean;
}

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** A disk that pods of one node cannot share, unless all of them only read it. */
export interface DiskUse {
  /** It is the same disk as one with a key in common. */
  readonly keys: readonly string[];
  readonly readOnly: boolean;
}

/**
 * What the scheduler keeps of a pod that has a node. Not the pod itself: those of a large cluster would take more
 * memory than all else.
 */
export interface PodInfo {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly nodeName: string;
  readonly labels: Labels;
  readonly priority: number;
  /** Milliseconds since 1970, when it started or was created. */
  readonly startMs: number;
  readonly deleting: boolean;
  /** Whether it is being deleted for a pod of higher priority. */
  readonly preempted: boolean;
  readonly requests: Amounts;
  readonly weights: { readonly cpu: number; readonly memory: number };
  readonly hostPorts: readonly HostPort[];
  readonly claims: readonly string[];
  readonly disks: readonly DiskUse[];
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly AffinityTerm[];
  readonly preferredAntiAffinity: readonly AffinityTerm[];
}

const NONE: readonly never[] = [];
const NO_LABELS: Labels = {};

/** Reads what the scheduler needs of a pod. */
export function podInfoOf(pod: Pod): PodInfo {
  const { metadata, spec, status } = pod;
  const requests = podRequests(spec);
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const required = (terms: readonly PodAffinityTerm[] | undefined): readonly AffinityTerm[] =>
    terms === undefined ? NONE : terms.map((term) => affinityTerm(pod, term, 0));
  const preferred = (side: typeof podAffinity | typeof podAntiAffinity): readonly AffinityTerm[] =>
    side?.preferredDuringSchedulingIgnoredDuringExecution?.map(({ weight, podAffinityTerm }) =>
      affinityTerm(pod, podAffinityTerm, weight),
    ) ?? NONE;
  return {
    uid: metadata.uid!,
    namespace: metadata.namespace!,
    name: metadata.name!,
    nodeName: spec.nodeName ?? '',
    labels: metadata.labels ?? NO_LABELS,
    priority: spec.priority ?? 0,
    startMs: Date.parse(status.startTime ?? metadata.creationTimestamp ?? '') || 0,
    deleting: metadata.deletionTimestamp !== undefined,
    preempted: metadata.deletionTimestamp !== undefined && isPreempted(status),
    requests,
    weights: podWeights(spec, requests),
    hostPorts: hostPortsOf(pod),
    claims: claimNamesOf(pod),
    disks: disksOf(pod),
    affinity: required(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    antiAffinity: required(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: preferred(podAffinity),
    preferredAntiAffinity: preferred(podAntiAffinity),
  };
}

function isPreempted({ conditions }: Pod['status']): boolean {
  const target = conditions?.find(({ type }) => type === 'DisruptionTarget');
  return target?.status === 'True' && target.reason === 'PreemptionByScheduler';
}

function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const ports = [...(spec.containers ?? []), ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, hostIP, protocol }) =>
      hostPort > 0 ? [{ ip: hostIP || '0.0.0.0', protocol: protocol || 'TCP', port: hostPort }] : [],
    ),
  );
  return ports.length === 0 ? NONE : ports;
}

function disksOf({ spec }: Pod): readonly DiskUse[] {
  const disks = (spec.volumes ?? []).flatMap(({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }): DiskUse[] => {
    if (gcePersistentDisk !== undefined)
      return [{ keys: [`gce/${gcePersistentDisk.pdName}`], readOnly: gcePersistentDisk.readOnly === true }];
    // Attached to an instance once, also for reading.
    if (awsElasticBlockStore !== undefined)
      return [{ keys: [`aws/${awsElasticBlockStore.volumeID}`], readOnly: false }];
    if (iscsi !== undefined) return [{ keys: [`iscsi/${iscsi.iqn}`], readOnly: iscsi.readOnly === true }];
    if (rbd === undefined) return [];
    const keys = (rbd.monitors ?? []).map((monitor) => `rbd/${monitor}/${rbd.pool ?? ''}/${rbd.image}`);
    return [{ keys, readOnly: rbd.readOnly === true }];
  });
  return disks.length === 0 ? NONE : disks;
}

function affinityTerm({ metadata }: Pod, term: PodAffinityTerm, weight: number): AffinityTerm {
  const own = metadata.namespace!;
  const { namespaces = [], namespaceSelector, topologyKey } = term;
  const named = new Set(namespaces.length === 0 && namespaceSelector === undefined ? [own] : namespaces);
  const byLabels = namespaceSelector === undefined ? undefined : selectorOf(namespaceSelector);
  const selector = withLabelKeys(selectorOf(term.labelSelector), metadata.labels ?? NO_LABELS, term);
  return {
    topologyKey,
    weight,
    matches: (namespace, labels, namespaceLabels) =>
      (named.has(namespace) || byLabels?.matches(namespaceLabels) === true) && selector.matches(labels),
  };
}

/** Conditions on labels that must be as those of the pod, or must differ; the server adds them to new pods itself. */
function withLabelKeys(
  selector: LabelSelector,
  labels: Labels,
  { matchLabelKeys = [], mismatchLabelKeys = [] }: Pick<PodAffinityTerm, 'matchLabelKeys' | 'mismatchLabelKeys'>,
): LabelSelector {
  const present = (keys: readonly string[]): readonly string[] =>
    keys.filter((key) => labels[key] !== undefined && !selector.requirements.some((one) => one.key === key));
  const added = [
    ...present(matchLabelKeys).map((key) => labelRequirement(key, 'in', [labels[key]!])),
    ...present(mismatchLabelKeys).map((key) => labelRequirement(key, 'notin', [labels[key]!])),
  ];
  return added.length === 0 || selector.matchesNothing
    ? selector
    : new LabelSelector([...selector.requirements, ...added]);
}

/** A selector that cannot be read selects nothing. */
export function selectorOf(selector: LabelSelectorObject | undefined): LabelSelector {
  try {
    return labelSelectorAsSelector(selector);
  } catch {
    // Validation rejects such selectors; one that an older server stored places no pod.
    return labelSelectorAsSelector(undefined);
  }
}
