import type { LabelSelector } from '../apimachinery/selectors/label-selector.ts';
import type { Labels } from '../apimachinery/selectors/label-requirement.ts';
import type { Pod } from '../generated/types/core-v1.ts';
import type { ClusterEvent } from './cluster-event.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { DeviceLookup } from './devices/device-lookup.ts';
import type { VolumeLookup } from './volumes/volume-lookup.ts';

/** A pod that looks for a node. */
export interface PendingPod {
  readonly pod: Pod;
  readonly info: PodInfo;
}

/** What plugins see of the cluster; nothing of it changes while one pod is placed. */
export interface ClusterView {
  /** Every node that is there. */
  readonly nodes: readonly NodeInfo[];
  namespaceLabels(namespace: string): Labels | undefined;
  /** What the services that select a pod and the workload that it belongs to select together; undefined: none does. */
  workloadSelector(pod: Pod): LabelSelector | undefined;
  readonly volumes: VolumeLookup;
  readonly devices: DeviceLookup;
}

/** Why a node, or every node, cannot take a pod. */
export interface Rejection {
  /** As events have it: "Insufficient cpu". */
  readonly reasons: readonly string[];
  /** Whether it may help to delete pods from the node. */
  readonly preemptible: boolean;
  /** Of a pod that is refused whatever the node: every plugin has seen it, and other pods are no reason. */
  readonly isLast?: boolean;
}

/** One pod as one plugin sees it. */
export interface PodFilter {
  /** Nothing: the node can take the pod. */
  filter?(node: NodeInfo): Rejection | undefined;
  /** Names of the only nodes that come into question; the others are not looked at. */
  readonly only?: ReadonlySet<string>;
}

/** Finds nodes on which a pod cannot be. */
export interface FilterPlugin {
  readonly name: string;
  /** Called once for each attempt to place a pod; undefined: the plugin has nothing against any node. */
  prepare(pod: PendingPod, cluster: ClusterView): PodFilter | { readonly rejected: Rejection } | undefined;
  /** Whether a pod that the plugin rejected may fit after a change. Called for each such pod: it is to be cheap. */
  mayHelp(event: ClusterEvent, pod: PendingPod, cluster: ClusterView): boolean;
}

/** Compares nodes that can take a pod. */
export interface ScorePlugin {
  readonly name: string;
  readonly weight: number;
  /**
   * Points for each of `nodes`, from 0 to 100, in their order; undefined: they are all the same to the plugin.
   */
  score(pod: PendingPod, nodes: readonly NodeInfo[], cluster: ClusterView): readonly number[] | undefined;
}

export const SCORE_MAX = 100;

export function rejection(reason: string, preemptible: boolean): Rejection {
  return { reasons: [reason], preemptible };
}

/** Scales points so that the highest has 100; the other way round where fewer are better. */
export function normalized(points: readonly number[], fewerAreBetter = false): readonly number[] {
  const max = points.reduce((a, b) => Math.max(a, b), 0);
  if (max === 0) return points.map(() => (fewerAreBetter ? SCORE_MAX : 0));
  return points.map((value) => {
    const share = Math.floor((value * SCORE_MAX) / max);
    return fewerAreBetter ? SCORE_MAX - share : share;
  });
}
