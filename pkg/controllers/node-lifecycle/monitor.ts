import type { Lease } from '../../generated/types/coordination-v1.ts';
import type { Node, NodeCondition } from '../../generated/types/core-v1.ts';
import { hasNoExecuteTaint, NOT_READY, UNREACHABLE, type TaintChange } from './condition-taints.ts';
import { type NodeHealths, readyCondition, silentConditions } from './node-health.ts';
import type { NodeMetrics } from './metrics.ts';
import type { TaintQueues } from './taint-queues.ts';
import { zoneOf, type ZoneCount, type ZoneStates } from './zone-state.ts';

/** Nodes that are looked at together: most need no call. */
const AT_ONCE = 16;
const NOT_COUNTED = 'node.kubernetes.io/exclude-disruption';

/** What a look at the nodes reads and does. */
export interface MonitorSteps {
  readonly nodes: () => readonly Node[];
  readonly leaseOf: (node: string) => Lease | undefined;
  readonly healths: NodeHealths;
  readonly zones: ZoneStates;
  readonly queues: TaintQueues;
  /** Rate of a zone that is new. */
  readonly evictionRate: number;
  readonly writeConditions: (node: Node, conditions: NodeCondition[]) => Promise<Node>;
  readonly changeTaints: (node: Node, change: TaintChange) => Promise<unknown>;
  /** True: all pods of the node say that they are not ready. */
  readonly markPods: (node: string) => Promise<boolean>;
  readonly registered: (node: Node) => void;
  readonly removed: (node: Node) => void;
  readonly becameNotReady: (node: Node) => void;
  readonly steadyMs: () => number;
  readonly metrics: Pick<NodeMetrics, 'zones' | 'lookSeconds' | 'nodeSeconds'>;
  readonly wallMs: () => number;
  readonly report: (error: unknown, node: string) => void;
}

/** Looks at all nodes now and then: which are silent, which are to lose their pods, and how fast in each zone. */
export class NodeMonitor {
  private readonly steps: MonitorSteps;
  private readonly known = new Map<string, Node>();
  /** Nodes with pods that could not be marked. */
  private readonly unmarked = new Set<string>();

  constructor(steps: MonitorSteps) {
    this.steps = steps;
  }

  /** A node that is there, perhaps new. */
  meet(node: Node): void {
    const { queues, registered, evictionRate } = this.steps;
    queues.open(zoneOf(node), evictionRate);
    if (!this.known.has(node.metadata.name!)) registered(node);
    this.known.set(node.metadata.name!, node);
  }

  /** A node that is not there any more. */
  leave(name: string): void {
    const { healths, queues, removed } = this.steps;
    const node = this.known.get(name);
    if (node === undefined) return;
    removed(node);
    this.known.delete(name);
    this.unmarked.delete(name);
    healths.forget(name);
    queues.remove(name);
  }

  async look(): Promise<void> {
    const { metrics, steadyMs } = this.steps;
    const startMs = steadyMs();
    const nodes = this.steps.nodes();
    const counts = new Map<string, { ready: number; notReady: number }>();
    const left = nodes.values();
    const lookOn = async (): Promise<void> => {
      for (const node of left) {
        const nodeStartMs = steadyMs();
        const ready = await this.examine(node).catch((error: unknown) => {
          this.steps.report(error, node.metadata.name!);
          return readyCondition(node);
        });
        metrics.nodeSeconds.observe((steadyMs() - nodeStartMs) / 1000);
        if (NOT_COUNTED in (node.metadata.labels ?? {})) continue;
        const zone = zoneOf(node);
        let count = counts.get(zone);
        if (count === undefined) counts.set(zone, (count = { ready: 0, notReady: 0 }));
        count[ready?.status === 'True' ? 'ready' : 'notReady']++;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lookOn));
    await this.setRates(nodes, counts);
    metrics.zones(counts);
    metrics.lookSeconds.observe((steadyMs() - startMs) / 1000);
  }

  /** The condition of a node at the end. */
  private async examine(node: Node): Promise<NodeCondition | undefined> {
    const { healths, leaseOf, writeConditions, steadyMs, wallMs } = this.steps;
    const name = node.metadata.name!;
    const isSilent = healths.observe({ node, lease: leaseOf(name), steadyMs: steadyMs(), wallMs: wallMs() });
    const conditions = isSilent ? silentConditions(node, wallMs()) : undefined;
    let current = node;
    if (conditions !== undefined) {
      current = await writeConditions(node, conditions);
      healths.wrote(current);
    }
    const ready = readyCondition(current);
    if (ready !== undefined) await this.follow(current, readyCondition(node)?.status ?? 'Unknown', ready);
    return ready;
  }

  /** Brings taints and pods in line with the condition; `observed`: the status before this look. */
  private async follow(node: Node, observed: string, ready: NodeCondition): Promise<void> {
    const name = node.metadata.name!;
    if (observed === 'True') await this.removeTaints(node);
    else await this.taint(node, observed === 'False' ? NOT_READY : UNREACHABLE);
    const isNew = observed === 'True' && ready.status !== 'True';
    if (isNew) this.steps.becameNotReady(node);
    if (!isNew && !(this.unmarked.has(name) && observed !== 'True')) return;
    if (await this.steps.markPods(name)) this.unmarked.delete(name);
    else this.unmarked.add(name);
  }

  private async taint(node: Node, key: string): Promise<void> {
    const other = key === NOT_READY ? UNREACHABLE : NOT_READY;
    // Its pods are on their way already: only the reason has changed.
    if (hasNoExecuteTaint(node, other)) await this.steps.changeTaints(node, noExecute([key], [other]));
    else this.steps.queues.add(zoneOf(node), node.metadata.name!, !hasNoExecuteTaint(node, key));
  }

  private async removeTaints(node: Node): Promise<void> {
    this.steps.queues.remove(node.metadata.name!);
    const present = [NOT_READY, UNREACHABLE].filter((key) => hasNoExecuteTaint(node, key));
    if (present.length > 0) await this.steps.changeTaints(node, noExecute([], present));
  }

  private async setRates(nodes: readonly Node[], counts: ReadonlyMap<string, ZoneCount>): Promise<void> {
    const { zones, queues, healths, steadyMs } = this.steps;
    const { rates, everywhere } = zones.update(counts);
    if (everywhere === 'begins') for (const node of nodes) await this.removeTaints(node);
    if (everywhere === 'ends') healths.restart(steadyMs());
    for (const [zone, rate] of rates) queues.setRate(zone, rate);
  }
}

/** The taint that a node gets at its turn; undefined: it has it, it is well, or its state is unknown. */
export function taintOfLost(node: Node): TaintChange | undefined {
  switch (readyCondition(node)?.status) {
    case 'False':
      return hasNoExecuteTaint(node, NOT_READY) ? undefined : noExecute([NOT_READY], [UNREACHABLE]);
    case 'Unknown':
      return hasNoExecuteTaint(node, UNREACHABLE) ? undefined : noExecute([UNREACHABLE], [NOT_READY]);
    default:
      return undefined;
  }
}

function noExecute(add: readonly string[], remove: readonly string[]): TaintChange {
  const taint = (key: string): { key: string; effect: string } => ({ key, effect: 'NoExecute' });
  return { add: add.map(taint), remove: remove.map(taint) };
}
