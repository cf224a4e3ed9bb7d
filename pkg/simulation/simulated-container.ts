import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  Probe,
  ResourceRequirements,
  VolumeMount,
} from '../generated/types/core-v1.ts';
import { formatDuration, formatTime } from '../apimachinery/values/time.ts';
import type { ContainerLog, LogLine } from './agent-server/answer-log.ts';
import type { ContainerPlan } from './container-plan.ts';

const BACKOFF_MS = 10_000;
const BACKOFF_MAX_MS = 300_000;
/** A container that ran for so long and ends is restarted as if it had never failed. */
const BACKOFF_RESET_MS = 600_000;

export interface ContainerOptions {
  readonly plan: ContainerPlan;
  readonly neverReady: boolean;
  /** An init container that others wait for: it is ready when it has ended well. */
  readonly preparing: boolean;
}

interface Run {
  readonly startedMs: number;
  /** How often the container was started before. */
  readonly number: number;
  finishedMs?: number;
  exitCode?: number;
  reason?: string;
}

/** One container of a simulated pod: its runs, its probes and its restarts. Times are milliseconds since 1970. */
export class SimulatedContainer {
  /** As the pod has it now: its resources may change. */
  container: Container;
  private readonly options: ContainerOptions;
  private run: Run | undefined;
  private last: Run | undefined;
  private restarts = 0;
  private backoffMs = 0;
  private restartAtMs: number | undefined;

  constructor(container: Container, options: ContainerOptions) {
    this.container = container;
    this.options = options;
  }

  get hasStarted(): boolean {
    return this.run !== undefined;
  }

  get isRunning(): boolean {
    return this.run !== undefined && this.run.finishedMs === undefined;
  }

  /** Ended, and not to be started again. */
  get hasEnded(): boolean {
    return this.run?.finishedMs !== undefined && this.restartAtMs === undefined;
  }

  get exitCode(): number | undefined {
    return this.run?.exitCode;
  }

  get restartCount(): number {
    return this.restarts;
  }

  start(nowMs: number): void {
    this.run = { startedMs: nowMs, number: 0 };
  }

  /** Ends and restarts what is due; `restarts`: whether it starts again after an end with this code. */
  advance(nowMs: number, restarts: (exitCode: number) => boolean): void {
    for (;;) {
      const { run } = this;
      if (run === undefined) return;
      if (run.finishedMs === undefined) {
        const endMs = run.startedMs + this.options.plan.runMs;
        if (endMs > nowMs) return;
        this.end(endMs, this.options.plan.exitCode, this.options.plan.exitCode === 0 ? 'Completed' : 'Error');
        if (restarts(this.options.plan.exitCode)) this.planRestart(endMs, endMs - run.startedMs);
      } else {
        if (this.restartAtMs === undefined || this.restartAtMs > nowMs) return;
        this.last = run;
        this.restarts++;
        this.run = { startedMs: this.restartAtMs, number: this.restarts };
        this.restartAtMs = undefined;
      }
    }
  }

  /** Ends it for good. */
  stop(nowMs: number, exitCode: number, reason: string): void {
    this.restartAtMs = undefined;
    if (this.isRunning) this.end(nowMs, exitCode, reason);
  }

  /** Whether its startup probe has succeeded. */
  isStarted(nowMs: number): boolean {
    return this.isRunning && nowMs >= this.startedAtMs();
  }

  isReady(nowMs: number): boolean {
    const { preparing, neverReady } = this.options;
    if (preparing) return this.hasEnded && this.exitCode === 0;
    return this.isRunning && !neverReady && nowMs >= this.readyAtMs();
  }

  /** When something happens next by itself; Infinity: never. */
  nextMs(nowMs: number): number {
    const { run } = this;
    if (run === undefined) return Infinity;
    if (run.finishedMs !== undefined) return this.restartAtMs ?? Infinity;
    const times = [
      run.startedMs + this.options.plan.runMs,
      this.startedAtMs(),
      this.options.neverReady ? Infinity : this.readyAtMs(),
    ];
    return Math.min(...times.filter((time) => time > nowMs));
  }

  /** `pod`: whose container it is. */
  status(nowMs: number, waitingReason: string, pod: Pod): ContainerStatus {
    const { name, image = '', resources, volumeMounts } = this.container;
    const { run, last } = this;
    const before = this.restartAtMs === undefined ? last : run;
    return {
      name,
      image,
      imageID: run === undefined ? '' : `simulated://${image}`,
      ...(run === undefined ? {} : { containerID: this.idOf(run) }),
      ready: this.isReady(nowMs),
      started: this.isStarted(nowMs),
      restartCount: this.restarts,
      state: this.state(waitingReason, pod),
      lastState: before === undefined ? {} : this.stateOf(before),
      ...(run === undefined ? {} : { ...allocated(resources), ...mounted(volumeMounts) }),
    };
  }

  /** What it has written by now; undefined: it has not run. */
  log(nowMs: number): ContainerLog | undefined {
    const run = this.run;
    if (run === undefined) return undefined;
    return {
      lines: this.linesOf(run, nowMs),
      previous: this.last === undefined ? undefined : this.linesOf(this.last, nowMs),
      isRunning: this.isRunning,
    };
  }

  private linesOf({ startedMs, finishedMs = Infinity }: Run, nowMs: number): LogLine[] {
    const { output } = this.options.plan;
    if (output.length === 0) return [startLine(this.container, startedMs)];
    return output
      .map(({ atMs, line }) => ({ atMs: startedMs + atMs, line }))
      .filter(({ atMs }) => atMs <= Math.min(nowMs, finishedMs));
  }

  private state(waitingReason: string, { metadata }: Pod): ContainerState {
    if (this.run === undefined) return { waiting: { reason: waitingReason } };
    if (this.restartAtMs === undefined) return this.stateOf(this.run);
    const wait = formatDuration(Math.round((this.restartAtMs - this.run.finishedMs!) / 1000) * 1e9);
    const message = `back-off ${wait} restarting failed container=${this.container.name} pod=${metadata.name}_${metadata.namespace}(${metadata.uid})`;
    return { waiting: { reason: 'CrashLoopBackOff', message } };
  }

  private stateOf(run: Run): ContainerState {
    const { startedMs, finishedMs, exitCode = 0, reason } = run;
    const startedAt = formatTime(new Date(startedMs));
    if (finishedMs === undefined) return { running: { startedAt } };
    const finishedAt = formatTime(new Date(finishedMs));
    return { terminated: { exitCode, reason, startedAt, finishedAt, containerID: this.idOf(run) } };
  }

  private idOf({ startedMs, number }: Run): string {
    return `simulated://${this.container.name}-${startedMs}-${number}`;
  }

  private end(nowMs: number, exitCode: number, reason: string): void {
    Object.assign(this.run!, { finishedMs: nowMs, exitCode, reason });
  }

  /** The first restart comes at once, the next ones after a time that doubles. */
  private planRestart(nowMs: number, ranMs: number): void {
    if (ranMs >= BACKOFF_RESET_MS) this.backoffMs = 0;
    this.restartAtMs = nowMs + this.backoffMs;
    this.backoffMs = this.backoffMs === 0 ? BACKOFF_MS : Math.min(BACKOFF_MAX_MS, this.backoffMs * 2);
  }

  private startedAtMs(): number {
    const { startupProbe } = this.container;
    return this.run!.startedMs + initialDelayMs(startupProbe) + repetitionsMs(startupProbe);
  }

  /** A readiness probe begins after its delay, but not before the startup probe has succeeded. */
  private readyAtMs(): number {
    const { readinessProbe } = this.container;
    const beginMs = Math.max(this.startedAtMs(), this.run!.startedMs + initialDelayMs(readinessProbe));
    return beginMs + repetitionsMs(readinessProbe);
  }
}

/** What a container writes that does not say what it writes. */
export function startLine({ name, image = '' }: Container, atMs: number): LogLine {
  return { atMs, line: `simulated: container ${name} runs ${image}` };
}

function initialDelayMs(probe: Probe | undefined): number {
  return (probe?.initialDelaySeconds ?? 0) * 1000;
}

/** From the first success of a probe to the last that it needs. */
function repetitionsMs(probe: Probe | undefined): number {
  if (probe === undefined) return 0;
  const { periodSeconds = 10, successThreshold = 1 } = probe;
  return periodSeconds * (successThreshold - 1) * 1000;
}

function allocated(resources: ResourceRequirements | undefined): Partial<ContainerStatus> {
  const { requests, limits } = resources ?? {};
  return {
    ...(requests === undefined ? {} : { allocatedResources: requests }),
    resources: { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) },
  };
}

function mounted(mounts: readonly VolumeMount[] = []): Partial<ContainerStatus> {
  if (mounts.length === 0) return {};
  return {
    volumeMounts: mounts.map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly === true ? { readOnly, recursiveReadOnly: 'Disabled' } : {}),
    })),
  };
}
