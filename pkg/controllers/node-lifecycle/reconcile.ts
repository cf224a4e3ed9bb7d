import type { Node, NodeCondition, Pod } from '../../generated/types/core-v1.ts';
import { conditionTaints, type TaintChange } from './condition-taints.ts';
import { taintOfLost } from './monitor.ts';
import { missingLabels } from './sync-labels.ts';

export interface NodeLifecycleSteps {
  readonly node: (name: string) => Node | undefined;
  readonly pod: (namespace: string, name: string) => Pod | undefined;
  /** Of the last look at the node. */
  readonly lastReady: (node: string) => NodeCondition | undefined;
  readonly meet: (node: Node) => void;
  readonly leave: (node: string) => void;
  readonly look: () => Promise<void>;
  readonly nextOf: (zone: string, needsTurn: (node: string) => boolean) => string | number | undefined;
  readonly retry: (zone: string, node: string) => void;
  /** A node of the zone got its taint. */
  readonly evicted: (zone: string) => void;
  readonly changeTaints: (node: Node, change: TaintChange) => Promise<unknown>;
  readonly addLabels: (node: Node, labels: Record<string, string>) => Promise<unknown>;
  readonly markPod: (pod: Pod) => Promise<boolean>;
}

/** Keys: `monitor`, `node/NAME`, `zone/ZONE`, `pod/NAMESPACE/NAME`. */
export async function reconcile(
  key: string,
  steps: NodeLifecycleSteps,
  monitorPeriodMs: number,
): Promise<number | undefined> {
  const [kind, first = '', second = ''] = key.split('/');
  switch (kind) {
    case 'node':
      return reconcileNode(first, steps);
    case 'zone':
      return evictFrom(first, steps);
    case 'pod':
      return reconcilePod(first, second, steps);
    default:
      await steps.look();
      return monitorPeriodMs;
  }
}

/** What follows from the node alone: no waiting for the next look. */
async function reconcileNode(name: string, steps: NodeLifecycleSteps): Promise<undefined> {
  const node = steps.node(name);
  if (node === undefined) {
    steps.leave(name);
    return;
  }
  steps.meet(node);
  const change = conditionTaints(node);
  if (change.add.length + change.remove.length > 0) await steps.changeTaints(node, change);
  const labels = missingLabels(node);
  if (labels !== undefined) await steps.addLabels(node, labels);
}

/** Gives nodes of a zone their NoExecute taint, one after the other at the zone's rate. */
async function evictFrom(
  zone: string,
  { nextOf, node: get, changeTaints, retry, evicted }: NodeLifecycleSteps,
): Promise<number | undefined> {
  const changeOf = (name: string): readonly [node: Node, change: TaintChange] | undefined => {
    const node = get(name);
    const change = node === undefined ? undefined : taintOfLost(node);
    return node === undefined || change === undefined ? undefined : [node, change];
  };
  const next = (): string | number | undefined => nextOf(zone, (name) => changeOf(name) !== undefined);
  for (let turn = next(); turn !== undefined; turn = next()) {
    if (typeof turn === 'number') return turn;
    try {
      await changeTaints(...changeOf(turn)!);
      evicted(zone);
    } catch (error) {
      retry(zone, turn);
      throw error;
    }
  }
  return undefined;
}

/** A pod that got to a node which is not ready is not ready either, whatever it says. */
async function reconcilePod(
  namespace: string,
  name: string,
  { pod: get, lastReady, markPod }: NodeLifecycleSteps,
): Promise<number | undefined> {
  const pod = get(namespace, name);
  const ready = lastReady(pod?.spec.nodeName ?? '');
  if (pod === undefined || ready === undefined || ready.status === 'True') return undefined;
  return (await markPod(pod)) ? undefined : RETRY_MS;
}

const RETRY_MS = 1000;
