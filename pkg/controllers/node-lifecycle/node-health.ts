import { formatTime } from '../../apimachinery/values/time.ts';
import type { Lease } from '../../generated/types/coordination-v1.ts';
import type { Node, NodeCondition } from '../../generated/types/core-v1.ts';

/** Conditions that are unknown of a node that is silent. */
const REPORTED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** What was seen of a node. Times are of the steady clock. */
interface NodeHealth {
  readonly uid: string | undefined;
  readonly ready: NodeCondition | undefined;
  readonly renewTime: string | undefined;
  /** When its agent was last seen to do something: a newer heartbeat, a newer lease. */
  readonly seenMs: number;
}

export interface HealthPeriods {
  readonly monitorGraceMs: number;
  readonly startupGraceMs: number;
}

export interface Observation {
  readonly node: Node;
  readonly lease: Lease | undefined;
  readonly steadyMs: number;
  readonly wallMs: number;
}

/** Which nodes still do something, by what has changed from one look to the next: their clocks are not compared. */
export class NodeHealths {
  private readonly healths = new Map<string, NodeHealth>();
  private readonly periods: HealthPeriods;

  constructor(periods: HealthPeriods) {
    this.periods = periods;
  }

  /** Takes note of what a node shows; true: it has been silent for longer than its grace period. */
  observe({ node, lease, steadyMs, wallMs }: Observation): boolean {
    const { name, uid } = node.metadata;
    const ready = readyCondition(node);
    const known = this.healths.get(name!);
    const before = known?.uid === uid ? known : undefined;
    const renewTime = lease?.spec.renewTime ?? undefined;
    const isRenewed = renewTime !== undefined && (before?.renewTime === undefined || renewTime > before.renewTime);
    const isPosted =
      before === undefined
        ? ready !== undefined
        : (ready === undefined) !== (before.ready === undefined) ||
          ready?.lastHeartbeatTime !== before.ready?.lastHeartbeatTime;
    const createdMs = steadyMs - Math.max(0, wallMs - Date.parse(node.metadata.creationTimestamp ?? ''));
    const seenMs = isRenewed || isPosted ? steadyMs : (before?.seenMs ?? (createdMs || steadyMs));
    this.healths.set(name!, { uid, ready, seenMs, renewTime: isRenewed ? renewTime : before?.renewTime });
    const { monitorGraceMs, startupGraceMs } = this.periods;
    return steadyMs > seenMs + (ready === undefined ? startupGraceMs : monitorGraceMs);
  }

  /** The condition that a node had at the last look; undefined: none, or it was not looked at. */
  lastReady(name: string): NodeCondition | undefined {
    return this.healths.get(name)?.ready;
  }

  /** What was written into the status of a silent node is no sign of life. */
  wrote(node: Node): void {
    const known = this.healths.get(node.metadata.name!);
    if (known !== undefined) this.healths.set(node.metadata.name!, { ...known, ready: readyCondition(node) });
  }

  /** All are given time as if they had just been seen. */
  restart(steadyMs: number): void {
    for (const [name, health] of this.healths) this.healths.set(name, { ...health, seenMs: steadyMs });
  }

  forget(name: string): void {
    this.healths.delete(name);
  }
}

export function readyCondition({ status }: Node): NodeCondition | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready');
}

/** The conditions of a node whose agent is silent; undefined: they say so already. */
export function silentConditions({ metadata, status }: Node, wallMs: number): NodeCondition[] | undefined {
  const now = formatTime(new Date(wallMs));
  const known = status.conditions ?? [];
  if (readyCondition({ metadata, status } as Node)?.status === 'Unknown') return undefined;
  const changed = known.map((condition) =>
    REPORTED.includes(condition.type) && condition.status !== 'Unknown'
      ? {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: now,
        }
      : condition,
  );
  const missing = REPORTED.filter((type) => !known.some((condition) => condition.type === type));
  return [
    ...changed,
    ...missing.map((type) => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: metadata.creationTimestamp ?? null,
      lastTransitionTime: now,
    })),
  ];
}
