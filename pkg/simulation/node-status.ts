import type { Node, NodeCondition, NodeStatus } from '../generated/types/core-v1.ts';

const DEFAULT_CAPACITY = { cpu: '32', memory: '256Gi', pods: '110' };

/** Conditions of a node that is well; those of memory, disk and processes say what it has too little of. */
const wellConditions = [
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

/** What the agent of a node writes into its status. */
export interface NodeReport {
  readonly node: Node;
  /** RFC 3339. */
  readonly now: string;
  readonly address: string;
  readonly kubeletVersion: string;
  /** Of the agent. */
  readonly port: number;
}

/** The status of a node that is well: what the object says of its capacity, and what is missing by default. */
export function nodeStatus({ node, now, address, kubeletVersion, port }: NodeReport): NodeStatus {
  const { status } = node;
  const capacity = { ...DEFAULT_CAPACITY, ...status.capacity };
  return {
    ...status,
    phase: 'Running',
    capacity,
    allocatable: { ...capacity, ...status.allocatable },
    addresses: status.addresses ?? [
      { type: 'InternalIP', address },
      // The first kind that servers try: the name of a node that is not there leads nowhere.
      { type: 'Hostname', address },
    ],
    conditions: withHeartbeat(status.conditions ?? [], now),
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    nodeInfo: {
      ...status.nodeInfo,
      architecture: status.nodeInfo?.architecture || 'amd64',
      operatingSystem: status.nodeInfo?.operatingSystem || 'linux',
      kubeletVersion: status.nodeInfo?.kubeletVersion || kubeletVersion,
    },
  };
}

/** The conditions of the agent with a new heartbeat; those of others stay. */
function withHeartbeat(known: readonly NodeCondition[], now: string): NodeCondition[] {
  const own = wellConditions.map(([type, status, reason, message]): NodeCondition => {
    const before = known.find((condition) => condition.type === type);
    return {
      type,
      status,
      reason,
      message,
      lastHeartbeatTime: now,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
    };
  });
  return [...own, ...known.filter(({ type }) => !own.some((condition) => condition.type === type))];
}
