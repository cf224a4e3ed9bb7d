import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '../generated/types/core-v1.ts';

/** What the agent of a node says of one of its pods. */
export interface PodReport {
  readonly pod: Pod;
  /** RFC 3339. */
  readonly now: string;
  readonly hostIp: string;
  readonly podIp: string;
}

/** The status of a pod all of whose containers run and are ready. */
export function runningStatus({ pod, now, hostIp, podIp }: PodReport): PodStatus {
  const { spec, status } = pod;
  const ip = spec.hostNetwork === true ? hostIp : podIp;
  return {
    ...status,
    phase: 'Running',
    conditions: withConditions(status.conditions ?? [], ['Initialized', 'Ready', 'ContainersReady'], now),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: status.startTime ?? now,
    initContainerStatuses: (spec.initContainers ?? []).map((container) =>
      container.restartPolicy === 'Always' ? runningContainer(container, now) : endedContainer(container, now, now),
    ),
    containerStatuses: (spec.containers ?? []).map((container) => runningContainer(container, now)),
  };
}

/** The status of a pod all of whose containers have ended well. */
export function succeededStatus({ pod, now }: PodReport): PodStatus {
  const { spec, status } = pod;
  return {
    ...status,
    phase: 'Succeeded',
    containerStatuses: (spec.containers ?? []).map((container) =>
      endedContainer(container, status.startTime ?? now, now),
    ),
  };
}

function withConditions(known: readonly PodCondition[], types: readonly string[], now: string): PodCondition[] {
  const before = new Map(known.map((condition) => [condition.type, condition]));
  const own = types.map((type): PodCondition => {
    const last = before.get(type);
    return {
      type,
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: last?.status === 'True' ? last.lastTransitionTime : now,
    };
  });
  return [...known.filter(({ type }) => !types.includes(type)), ...own];
}

function runningContainer({ name, image = '' }: Container, now: string): ContainerStatus {
  return {
    name,
    image,
    imageID: '',
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: now } },
  } as ContainerStatus;
}

function endedContainer({ name, image = '' }: Container, startedAt: string, finishedAt: string): ContainerStatus {
  return {
    name,
    image,
    imageID: '',
    ready: true,
    started: false,
    restartCount: 0,
    state: { terminated: { exitCode: 0, reason: 'Completed', startedAt, finishedAt } },
  } as ContainerStatus;
}
