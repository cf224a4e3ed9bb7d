import { formatTime } from '../apimachinery/values/time.ts';
import type {
  Container,
  ContainerRestartRuleOnExitCodes,
  ContainerStatus,
  EphemeralContainer,
  Pod,
  PodCondition,
  PodStatus,
} from '../generated/types/core-v1.ts';
import type { ContainerLog } from './agent-server/answer-log.ts';
import { containerPlan, NEVER_READY, stopTime } from './container-plan.ts';
import { podConditions } from './pod-conditions.ts';
import { SimulatedContainer } from './simulated-container.ts';

const KILLED = 137;
const TERMINATED = 143;

export interface PodNetwork {
  readonly hostIp: string;
  readonly podIp: string;
}

/**
 * What happens to one pod on a simulated node: init containers one after the other, sidecars beside them, then the
 * others; their ends and restarts; containers that are added for debugging; the end of the pod. Time is given from
 * outside, so that nothing waits here.
 */
export class SimulatedPod {
  /** As the server shows it now. */
  private pod: Pod;
  private readonly network: PodNetwork;
  private readonly startedMs: number;
  private readonly inits: readonly SimulatedContainer[];
  private readonly mains: readonly SimulatedContainer[];
  /** In the order in which they were added. */
  private readonly ephemerals: SimulatedContainer[] = [];
  /** Since when it is being deleted. */
  private terminatingMs: number | undefined;
  private stopped: { readonly reason: string; readonly message: string } | undefined;

  constructor(pod: Pod, network: PodNetwork, nowMs: number) {
    this.pod = pod;
    this.network = network;
    this.startedMs = Date.parse(pod.status.startTime ?? '') || nowMs;
    const make = (container: Container, isInit: boolean): SimulatedContainer => {
      const isSidecar = isInit && container.restartPolicy === 'Always';
      const neverReady = ['', `.${container.name}`].some(
        (suffix) => pod.metadata.annotations?.[`${NEVER_READY}${suffix}`] === 'true',
      );
      return new SimulatedContainer(container, {
        plan: containerPlan(pod, container, isInit && !isSidecar),
        neverReady,
        preparing: isInit && !isSidecar,
      });
    };
    this.inits = (pod.spec.initContainers ?? []).map((container) => make(container, true));
    this.mains = (pod.spec.containers ?? []).map((container) => make(container, false));
  }

  /** Takes over what may change of a pod that runs: resources, containers for debugging, its deletion. */
  update(pod: Pod): void {
    const { spec } = pod;
    for (const added of (spec.ephemeralContainers ?? []).slice(this.ephemerals.length))
      this.ephemerals.push(ephemeralContainer(pod, added));
    if (this.pod === pod) return;
    this.pod = pod;
    const current = new Map([...(spec.initContainers ?? []), ...(spec.containers ?? [])].map((one) => [one.name, one]));
    for (const one of [...this.inits, ...this.mains]) {
      const container = current.get(one.container.name);
      if (container !== undefined) one.container = container;
    }
  }

  /** Lets everything happen that is due. */
  advance(nowMs: number): void {
    const { activeDeadlineSeconds } = this.pod.spec;
    if (activeDeadlineSeconds !== undefined && nowMs >= this.startedMs + activeDeadlineSeconds * 1000 && !this.isOver) {
      this.stopAll(nowMs, KILLED);
      const message = 'Pod was active on the node longer than the specified deadline';
      this.stopped = { reason: 'DeadlineExceeded', message };
      return;
    }
    if (this.stopped !== undefined) return;
    for (const one of this.ephemerals) {
      if (!one.hasStarted && !this.isOver) one.start(nowMs);
      one.advance(nowMs, () => false);
    }
    for (const one of this.inits) one.advance(nowMs, (code) => this.restarts(one.container, true, code));
    for (const one of this.mains) one.advance(nowMs, (code) => this.restarts(one.container, false, code));
    for (const one of this.inits) {
      if (!one.hasStarted) {
        one.start(nowMs);
        one.advance(nowMs, (code) => this.restarts(one.container, true, code));
      }
      if (!this.lets(one, nowMs)) return;
    }
    for (const one of this.mains) {
      if (one.hasStarted) continue;
      one.start(nowMs);
      one.advance(nowMs, (code) => this.restarts(one.container, false, code));
    }
    // Sidecars end when what they serve has.
    if (this.mains.every(({ hasEnded }) => hasEnded))
      for (const container of this.inits) container.stop(nowMs, 0, 'Completed');
  }

  /**
   * Ends the pod, as an agent does when the pod is deleted: its containers get the time that they take, at most the
   * grace period. Gives the milliseconds since 1970 at which all have ended.
   */
  terminate(nowMs: number): number {
    const { deletionTimestamp, deletionGracePeriodSeconds } = this.pod.metadata;
    const graceMs = Number(deletionGracePeriodSeconds ?? 0) * 1000;
    this.terminatingMs ??= nowMs;
    const killMs = Math.min(this.terminatingMs + graceMs, Date.parse(deletionTimestamp ?? '') || Infinity);
    let lastMs = nowMs;
    for (const one of [...this.mains, ...this.inits, ...this.ephemerals]) {
      if (!one.isRunning) {
        one.stop(nowMs, TERMINATED, 'Error');
        continue;
      }
      const stopMs = this.terminatingMs + stopTime(this.pod, one.container);
      const endMs = Math.min(stopMs, killMs);
      if (endMs <= nowMs) one.stop(nowMs, stopMs <= killMs ? TERMINATED : KILLED, 'Error');
      else lastMs = Math.max(lastMs, endMs);
    }
    this.stopped ??= { reason: '', message: '' };
    return lastMs;
  }

  /** Succeeded or Failed. */
  get isOver(): boolean {
    return ['Succeeded', 'Failed'].includes(this.phase);
  }

  get phase(): string {
    if (this.stopped?.reason === 'DeadlineExceeded') return 'Failed';
    if (this.inits.some((container) => this.hasFailed(container))) return 'Failed';
    if (this.mains.every(({ hasEnded }) => hasEnded))
      return this.mains.every(({ exitCode }) => exitCode === 0) ? 'Succeeded' : 'Failed';
    return this.mains.some(({ hasStarted }) => hasStarted) ? 'Running' : 'Pending';
  }

  /** Milliseconds since 1970 at which something happens by itself; Infinity: nothing does. */
  nextMs(nowMs: number): number {
    if (this.isOver) return Infinity;
    const { activeDeadlineSeconds } = this.pod.spec;
    const deadline = activeDeadlineSeconds === undefined ? Infinity : this.startedMs + activeDeadlineSeconds * 1000;
    return [...this.inits, ...this.mains, ...this.ephemerals].reduce(
      (next, container) => Math.min(next, container.nextMs(nowMs)),
      deadline,
    );
  }

  /** The status as it is now; `known`: what others have written into it. */
  status(known: PodStatus, nowMs: number): PodStatus {
    const { hostIp, podIp } = this.network;
    const ip = this.pod.spec.hostNetwork === true ? hostIp : podIp;
    const { phase } = this;
    const initialized = this.inits.every((container) => this.lets(container, nowMs));
    const { generation } = this.pod.metadata;
    return {
      ...known,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      phase,
      ...(this.stopped?.reason ? this.stopped : {}),
      conditions: this.conditions(known.conditions ?? [], nowMs),
      hostIP: hostIp,
      hostIPs: [{ ip: hostIp }],
      podIP: ip,
      podIPs: [{ ip }],
      startTime: known.startTime ?? formatTime(new Date(this.startedMs)),
      ...(this.inits.length === 0
        ? {}
        : { initContainerStatuses: this.inits.map((one) => one.status(nowMs, 'PodInitializing', this.pod)) }),
      containerStatuses: this.mains.map((one) =>
        one.status(nowMs, initialized ? 'ContainerCreating' : 'PodInitializing', this.pod),
      ),
      ...(this.ephemerals.length === 0
        ? {}
        : { ephemeralContainerStatuses: this.ephemerals.map((one) => ephemeralStatus(one, nowMs, this.pod)) }),
    };
  }

  /** Of a container; undefined: there is none, or it has not run. */
  log(container: string, nowMs: number): ContainerLog | undefined {
    return [...this.inits, ...this.mains, ...this.ephemerals]
      .find((one) => one.container.name === container)
      ?.log(nowMs);
  }

  private conditions(known: readonly PodCondition[], nowMs: number): PodCondition[] {
    const names = (containers: readonly SimulatedContainer[]): readonly string[] =>
      containers.map(({ container }) => container.name);
    const sidecars = this.inits.filter(({ container }) => container.restartPolicy === 'Always');
    return podConditions({
      pod: this.pod,
      phase: this.phase,
      incomplete: names(this.inits.filter((container) => !this.lets(container, nowMs))),
      unready: names([...sidecars, ...this.mains].filter((container) => !container.isReady(nowMs))),
      known,
      now: formatTime(new Date(nowMs)),
    });
  }

  /** Whether the containers behind an init container may start. */
  private lets(container: SimulatedContainer, nowMs: number): boolean {
    return container.container.restartPolicy === 'Always'
      ? container.isStarted(nowMs) || container.hasEnded
      : container.hasEnded && container.exitCode === 0;
  }

  private hasFailed(container: SimulatedContainer): boolean {
    return container.container.restartPolicy !== 'Always' && container.hasEnded && container.exitCode !== 0;
  }

  private restarts(container: Container, isInit: boolean, exitCode: number): boolean {
    if (this.pod.metadata.deletionTimestamp !== undefined) return false;
    const { restartPolicy, restartPolicyRules = [] } = container;
    // The first rule that fits decides; all that it can ask for is a restart.
    if (exitCode !== 0 && restartPolicyRules.some(({ exitCodes }) => exitCodes && hasCode(exitCodes, exitCode)))
      return true;
    const policy = restartPolicy ?? this.pod.spec.restartPolicy ?? 'Always';
    // An init container that ends well has done its work, but for a sidecar.
    if (isInit && restartPolicy !== 'Always') return exitCode !== 0 && policy !== 'Never';
    return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
  }

  private stopAll(nowMs: number, exitCode: number): void {
    for (const container of [...this.mains, ...this.inits, ...this.ephemerals])
      container.stop(nowMs, exitCode, 'Error');
  }
}

function hasCode({ operator, values = [] }: ContainerRestartRuleOnExitCodes, exitCode: number): boolean {
  return values.includes(exitCode) === (operator === 'In');
}

/** It runs until its command ends, whatever becomes of the pod's other containers, and is never started again. */
function ephemeralContainer(pod: Pod, added: EphemeralContainer): SimulatedContainer {
  const container = added as Container;
  const plan = containerPlan({ ...pod, spec: { ...pod.spec, restartPolicy: 'Always' } }, container, false);
  return new SimulatedContainer(container, { plan, neverReady: true, preparing: false });
}

/** It has no probes: it is never ready, and its status does not say that it has started. */
function ephemeralStatus(one: SimulatedContainer, nowMs: number, pod: Pod): ContainerStatus {
  const { started: _started, ...status } = one.status(nowMs, 'ContainerCreating', pod);
  return status as ContainerStatus;
}
