import type { DaemonSet } from '../../generated/types/apps-v1.ts';
import type { Affinity, Pod, PodSpec, PodTemplateSpec, Toleration } from '../../generated/types/core-v1.ts';

export const REVISION_LABEL = 'controller-revision-hash';
const GENERATION_LABEL = 'pod-template-generation';
const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';
const NODE_NAME_FIELD = 'metadata.name';

const TOLERATED: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const TOLERATED_ON_HOST_NETWORK: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** Number of the template, which the server counts in an annotation. */
function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[GENERATION_ANNOTATION];
  return text !== undefined && /^-?\d+$/.test(text) ? text : undefined;
}

/** What the template tolerates, and the conditions of nodes that daemons outlive. */
export function daemonTolerations({ hostNetwork, tolerations = [] }: PodSpec): readonly Toleration[] {
  const added = hostNetwork === true ? [...TOLERATED, TOLERATED_ON_HOST_NETWORK] : TOLERATED;
  const isAdded = (one: Toleration): boolean => added.some((other) => isSame(one, other));
  return [
    ...tolerations.map((one) => (isAdded(one) ? withoutSeconds(one) : one)),
    ...added.filter((one) => !tolerations.some((other) => isSame(one, other))),
  ];
}

/** The template of the set's pods, of which each gets its node by `onNode`. */
export function daemonTemplate(set: DaemonSet, hash: string): PodTemplateSpec {
  const { metadata, spec = { containers: [] } } = set.spec.template;
  const generation = templateGeneration(set);
  const labels = {
    ...metadata?.labels,
    ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
    [REVISION_LABEL]: hash,
  };
  return { metadata: { ...metadata, labels }, spec: { ...spec, tolerations: [...daemonTolerations(spec)] } };
}

/** Bound to its node by affinity, which the scheduler follows. */
export function onNode(affinity: Affinity | undefined, node: string): Affinity {
  const matchFields = [{ key: NODE_NAME_FIELD, operator: 'In', values: [node] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}

/** The node that a pod is on, or was made for. */
export function targetNode({ spec }: Pod): string | undefined {
  if ((spec.nodeName ?? '') !== '') return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields = [] } of required?.nodeSelectorTerms ?? [])
    for (const { key, operator, values = [] } of matchFields)
      if (key === NODE_NAME_FIELD && operator === 'In' && values.length === 1) return values[0];
  return undefined;
}

/** Whether the pod was made of the present template. */
export function isUpdated({ metadata }: Pod, set: DaemonSet, hash: string): boolean {
  const generation = templateGeneration(set);
  const { [REVISION_LABEL]: revision, [GENERATION_LABEL]: number } = metadata.labels ?? {};
  return revision === hash || (generation !== undefined && number === generation);
}

function isSame(one: Toleration, other: Toleration): boolean {
  const { key, operator, effect, value } = other;
  return one.key === key && one.operator === operator && one.effect === effect && (one.value ?? '') === (value ?? '');
}

function withoutSeconds({ tolerationSeconds: _, ...toleration }: Toleration): Toleration {
  return toleration;
}
