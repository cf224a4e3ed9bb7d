import { pods } from '../api/core/tokens.ts';
import type { Clock } from '../apimachinery/clock.ts';
import { deepEqual } from '../apimachinery/json/deep.ts';
import { isNotFound } from '../apimachinery/errors/status-error.ts';
import { formatTime } from '../apimachinery/values/time.ts';
import type { Client } from '../client/rest/client.ts';
import type { Node, Pod, PodStatus } from '../generated/types/core-v1.ts';
import type { ContainerLog, FoundLog } from './agent-server/answer-log.ts';
import { PodAddresses } from './pod-addresses.ts';
import { runningStatus, succeededStatus } from './pod-status.ts';
import { startLine } from './simulated-container.ts';
import { SimulatedPod } from './simulated-pod.ts';

export interface PodAgentOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Address of every node. */
  readonly address: string;
}

/** Runs the pods of simulated nodes: writes what happens to them into their status, and removes deleted ones. */
export class PodAgents {
  private readonly options: PodAgentOptions;
  private readonly addresses = new PodAddresses();
  private readonly simulated = new Map<string, SimulatedPod>();

  constructor(options: PodAgentOptions) {
    this.options = options;
  }

  /** What a container has written, or why it has not. */
  logOf(pod: Pod, container: string): FoundLog {
    const [quoted, podName] = [JSON.stringify(container), JSON.stringify(pod.metadata.name)];
    const log = this.writtenBy(pod, container);
    if (log !== undefined)
      return { ...log, noPrevious: `previous terminated container ${quoted} in pod ${podName} not found` };
    const { spec, status } = pod;
    const names = [spec.initContainers, spec.containers, spec.ephemeralContainers].flatMap((list) =>
      (list ?? []).map(({ name }) => name),
    );
    if (!names.includes(container)) return { code: 404, text: `container ${quoted} not found in pod ${podName}` };
    const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    const reason = statuses.find(({ name }) => name === container)?.state?.waiting?.reason ?? 'ContainerCreating';
    return { code: 400, text: `container ${quoted} in pod ${podName} is waiting to start: ${reason}` };
  }

  /** Undefined: it has not run. */
  private writtenBy({ metadata, spec, status }: Pod, container: string): ContainerLog | undefined {
    const simulated = this.simulated.get(metadata.uid!);
    if (simulated !== undefined) return simulated.log(container, this.options.clock.wallMs());
    const found = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].find(({ name }) => name === container);
    const startedMs = Date.parse(status.startTime ?? '');
    if (found === undefined || Number.isNaN(startedMs)) return undefined;
    return { lines: [startLine(found, startedMs)], previous: undefined, isRunning: status.phase === 'Running' };
  }

  forget(uid: string): void {
    this.simulated.delete(uid);
    this.addresses.release(uid);
  }

  /** A pod of a node whose pods do everything at once, as kwok's fast stages have it. */
  async keepFast(pod: Pod, node: Node): Promise<undefined> {
    if (pod.metadata.deletionTimestamp !== undefined) return this.remove(pod);
    const report = {
      pod,
      now: formatTime(new Date(this.options.clock.wallMs())),
      hostIp: this.options.address,
      podIp: this.addressOf(pod, node),
    };
    if ((pod.status.phase ?? 'Pending') === 'Pending') await this.write(pod, runningStatus(report));
    else if (pod.status.phase === 'Running' && isOfJob(pod)) await this.write(pod, succeededStatus(report));
  }

  /** A pod that is simulated; gives the milliseconds until something happens to it. */
  async keep(pod: Pod, node: Node): Promise<number | undefined> {
    const { clock, address } = this.options;
    const uid = pod.metadata.uid!;
    const nowMs = clock.wallMs();
    let simulated = this.simulated.get(uid);
    if (simulated === undefined) {
      // One that ended before this program started does not run again.
      if (isOver(pod.status) && pod.metadata.deletionTimestamp === undefined) return undefined;
      simulated = new SimulatedPod(pod, { hostIp: address, podIp: this.addressOf(pod, node) }, nowMs);
      this.simulated.set(uid, simulated);
    }
    simulated.update(pod);
    const isDeleted = pod.metadata.deletionTimestamp !== undefined;
    const endMs = isDeleted ? simulated.terminate(nowMs) : undefined;
    if (!isDeleted) simulated.advance(nowMs);
    const isEnding = endMs !== undefined && endMs > nowMs;
    // Without a finalizer the end of the pod is seen by its deletion alone: one write less.
    if (!isDeleted || isEnding || (pod.metadata.finalizers ?? []).length > 0) {
      const status = simulated.status(pod.status, nowMs);
      if (!deepEqual(status, pod.status)) await this.write(pod, status);
    }
    if (isEnding) return Math.max(0, endMs - clock.wallMs());
    if (isDeleted) return this.remove(pod);
    const next = simulated.nextMs(nowMs);
    return next === Infinity ? undefined : Math.max(0, next - clock.wallMs());
  }

  private addressOf({ metadata, status }: Pod, { spec }: Node): string {
    return this.addresses.of(metadata.uid!, spec.podCIDR, status.podIP);
  }

  private async write({ metadata }: Pod, status: PodStatus): Promise<void> {
    const { namespace, name, uid } = metadata;
    const patch = { metadata: { uid }, status };
    await ignoreMissing(
      this.options.client.patch(pods, { namespace, name: name! }, 'merge', patch, { subresource: 'status' }),
    );
  }

  private async remove({ metadata }: Pod): Promise<undefined> {
    const { namespace, name, uid } = metadata;
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    await ignoreMissing(this.options.client.delete(pods, { namespace, name: name! }, options));
  }
}

/** The pod was deleted meanwhile. */
async function ignoreMissing(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function isOver({ phase }: PodStatus): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

function isOfJob({ metadata }: Pod): boolean {
  return metadata.ownerReferences?.some(({ kind, controller }) => kind === 'Job' && controller === true) === true;
}
