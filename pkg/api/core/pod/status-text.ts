import type { ContainerStateTerminated, ContainerStatus, Pod } from '../../../generated/types/core-v1.ts';

/** The STATUS, READY and RESTARTS cells of a pod. */
export interface PodSummary {
  /** `Running`, `CrashLoopBackOff`, `Init:0/2`, `Terminating`, ... */
  readonly status: string;
  readonly readyContainers: number;
  readonly totalContainers: number;
  readonly restarts: number;
  /** When a container ended last, RFC 3339. */
  readonly lastRestart: string | undefined;
}

/** Sums up the states of a pod's containers the way that kubectl users know. */
export function summarizePod(pod: Pod): PodSummary {
  const { spec, status } = pod;
  const sidecars = new Set((spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name));
  const progress = summarizeInit(pod, sidecars);
  let text = status.reason || status.phase || '';
  if (status.conditions?.some((c) => c.type === 'PodScheduled' && c.reason === 'SchedulingGated'))
    text = 'SchedulingGated';
  let { restarts, ready } = progress;
  let lastRestart = progress.lastRestart;
  if (progress.text !== undefined) {
    text = progress.text;
  } else {
    const main = summarizeContainers(status.containerStatuses ?? []);
    restarts = progress.sidecarRestarts + main.restarts;
    ready += main.ready;
    lastRestart = later(lastRestart, main.lastRestart);
    text = main.text ?? text;
    if (text === 'Completed' && main.ready > 0) text = isReady(pod) ? 'Running' : 'NotReady';
  }
  if (pod.metadata.deletionTimestamp != null) text = status.reason === 'NodeLost' ? 'Unknown' : 'Terminating';
  return {
    status: text,
    readyContainers: ready,
    totalContainers: (spec.containers ?? []).length + sidecars.size,
    restarts,
    lastRestart,
  };
}

interface Part {
  /** The containers' part of the pod's status, if there is one. */
  text: string | undefined;
  ready: number;
  restarts: number;
  lastRestart: string | undefined;
}

/** With `text` as long as init containers are still running. */
function summarizeInit(pod: Pod, sidecars: ReadonlySet<string>): Part & { sidecarRestarts: number } {
  const sum = {
    text: undefined as string | undefined,
    ready: 0,
    restarts: 0,
    sidecarRestarts: 0,
    lastRestart: undefined as string | undefined,
  };
  const total = (pod.spec.initContainers ?? []).length;
  for (const [i, container] of (pod.status.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecars.has(container.name);
    sum.restarts += container.restartCount;
    if (sidecar) sum.sidecarRestarts += container.restartCount;
    sum.lastRestart = later(sum.lastRestart, container.lastState.terminated?.finishedAt);
    const { terminated, waiting } = container.state;
    if (terminated?.exitCode === 0) continue;
    if (sidecar && container.started) {
      if (container.ready) sum.ready++;
      continue;
    }
    if (terminated !== undefined) sum.text = `Init:${terminated.reason || endText(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') sum.text = `Init:${waiting.reason}`;
    else sum.text = `Init:${i}/${total}`;
    break;
  }
  return sum;
}

/** The first container with a reason gives the text. */
function summarizeContainers(statuses: readonly ContainerStatus[]): Part {
  const sum: Part = { text: undefined, ready: 0, restarts: 0, lastRestart: undefined };
  for (const container of statuses.toReversed()) {
    sum.restarts += container.restartCount;
    sum.lastRestart = later(sum.lastRestart, container.lastState.terminated?.finishedAt);
    const { waiting, terminated, running } = container.state;
    if (waiting?.reason) sum.text = waiting.reason;
    else if (terminated !== undefined) sum.text = terminated.reason || endText(terminated);
    else if (container.ready && running !== undefined) sum.ready++;
  }
  return sum;
}

function endText({ signal, exitCode }: ContainerStateTerminated): string {
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

/** Times are RFC 3339 in UTC with whole seconds: their texts sort as they do. */
function later(a: string | undefined, b: string | null | undefined): string | undefined {
  if (!b) return a;
  return a === undefined || a < b ? b : a;
}

function isReady(pod: Pod): boolean {
  return pod.status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;
}
