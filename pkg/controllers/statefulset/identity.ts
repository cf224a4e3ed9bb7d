import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';
const REVISION = 'controller-revision-hash';
const INT32_MAX = 2 ** 31 - 1;

/** What the name of a pod says. */
export interface PodName {
  readonly parent: string;
  readonly ordinal: number;
}

export function parsePodName(name: string): PodName | undefined {
  const [, parent, digits] = /^(.*)-(\d+)$/.exec(name) ?? [];
  const ordinal = Number(digits);
  return parent === undefined || ordinal > INT32_MAX ? undefined : { parent, ordinal };
}

export function ordinalOf({ metadata }: Pod): number | undefined {
  return parsePodName(metadata.name!)?.ordinal;
}

export function isMember(set: StatefulSet, { metadata }: Pod): boolean {
  return parsePodName(metadata.name!)?.parent === set.metadata.name;
}

export function replicasOf({ spec }: StatefulSet): number {
  return spec.replicas ?? 1;
}

export function startOrdinal({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

/** Whether the set, at its present size, has a pod of this ordinal. */
export function isInRange(set: StatefulSet, ordinal: number): boolean {
  const start = startOrdinal(set);
  return ordinal >= start && ordinal < start + replicasOf(set);
}

/** The labels that tie a pod to its name and number. */
export function identityLabels(podName: string): Readonly<Record<string, string>> {
  return { [POD_NAME]: podName, [POD_INDEX]: String(parsePodName(podName)?.ordinal) };
}

/** By the name alone: the label of the number comes with that of the name, and is nothing that a pod is found by. */
export function hasIdentity({ metadata }: Pod): boolean {
  return metadata.labels?.[POD_NAME] === metadata.name;
}

/** Name of the revision that the pod was made of. */
export function revisionOf({ metadata }: Pod): string {
  return metadata.labels?.[REVISION] ?? '';
}

export function revisionLabel(revision: string): Readonly<Record<string, string>> {
  return { [REVISION]: revision };
}
