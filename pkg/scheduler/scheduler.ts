import { waitsForClaims } from './plugins/dynamic-resources.ts';
import { TimeSlice } from '../apimachinery/time-slice.ts';
import type { EventRecorder } from '../client/events/event-recorder.ts';
import type { Node, Pod } from '../generated/types/core-v1.ts';
import type { HandlerPlace } from '../controllers/controller-context.ts';
import type { Controller } from '../controllers/controller.ts';
import type { ClusterCache } from './cluster-cache.ts';
import type { Nominations } from './nominations.ts';
import type { PodBinder } from './pod-binder.ts';
import { podInfoOf } from './pod-info.ts';
import { PodPlacer, type Diagnosis, type SchedulingPlugins } from './schedule-pod.ts';
import type { PendingPod } from './plugin.ts';
import { SchedulingQueue } from './scheduling-queue.ts';
import type { SchedulerInformers } from './scheduler-informers.ts';
import type { Clock } from '../apimachinery/clock.ts';

export interface SchedulerOptions {
  /** Pods whose `spec.schedulerName` is this are placed. */
  readonly name: string;
  readonly plugins: SchedulingPlugins;
  readonly clock: Clock;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  readonly informers: SchedulerInformers;
  readonly cache: ClusterCache;
  readonly nominations: Nominations;
  readonly binder: PodBinder;
  /** Of its own: the scheduler stops it. */
  readonly recorder: EventRecorder;
  /** Says why a pod has no node, and makes room for it where it may. */
  readonly unschedulable: (pod: PendingPod, diagnosis: Diagnosis) => Promise<void>;
  readonly onError: (error: unknown, where: string) => void;
}

/**
 * Gives pods to nodes. One pod is placed at a time, on what the cache shows; it is bound in the background, and counts
 * as placed meanwhile. A pod that no node can take waits until something changes.
 */
export class Scheduler implements Controller {
  readonly name = 'scheduler';
  private readonly options: SchedulerOptions;
  private readonly queue: SchedulingQueue;
  private readonly placer: PodPlacer;
  private places: HandlerPlace[] = [];
  private readonly inFlight = new Set<Promise<void>>();
  private running = false;
  private stopping = false;
  private isPlacing = false;
  private cancelTimer: (() => void) | undefined;
  private idleWaiters: (() => void)[] = [];

  constructor(options: SchedulerOptions) {
    this.options = options;
    this.queue = new SchedulingQueue(options.clock);
    this.placer = new PodPlacer(options.plugins, options.random, options.nominations);
  }

  async start(): Promise<void> {
    for (const place of this.places.splice(0)) place.remove();
    const { informers } = this.options;
    const changed = (): void => this.moved();
    this.places = [
      informers.nodes.addHandler({
        onAdd: (node) => this.setNode(undefined, node),
        onUpdate: (old, node) => this.setNode(old, node),
        onDelete: ({ metadata }) => this.options.cache.removeNode(metadata.name!),
      }),
      informers.pods.addHandler({
        onAdd: (pod) => this.setPod(undefined, pod),
        onUpdate: (old, pod) => this.setPod(old, pod),
        onDelete: (pod) => this.removePod(pod),
      }),
      ...informers.others.map((objects) =>
        objects.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed }),
      ),
    ];
    const synced = await Promise.all(this.places.map((place) => place.whenSynced()));
    if (this.stopping || !synced.every(Boolean))
      throw new Error('scheduler: stopped before it saw the objects that it follows');
    this.running = true;
    this.wake();
  }

  async settled(): Promise<void> {
    while (this.isPlacing || this.inFlight.size > 0 || this.queue.nextMs() === 0) {
      await (this.inFlight.size > 0
        ? Promise.all(this.inFlight)
        : new Promise<void>((resolve) => this.idleWaiters.push(resolve)));
    }
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.running = false;
    for (const place of this.places.splice(0)) place.remove();
    this.cancelTimer?.();
    this.options.binder.stop();
    await Promise.all(this.inFlight);
    await this.options.recorder.stop();
  }

  healthy(): boolean {
    return this.running;
  }

  private setNode(old: Node | undefined, node: Node): void {
    this.options.cache.setNode(node);
    // Heartbeats change nothing for pods that wait.
    if (old !== undefined && !concernsPods(old, node)) return;
    this.queue.moveAll();
    this.wake();
  }

  private setPod(old: Pod | undefined, pod: Pod): void {
    const { metadata, spec, status } = pod;
    if (old !== undefined && old.metadata.uid !== metadata.uid) this.removePod(old);
    if ((spec.nodeName ?? '') !== '') {
      this.queue.remove(metadata.uid!);
      this.options.nominations.remove(metadata.uid!);
      if (status.phase === 'Succeeded' || status.phase === 'Failed') return this.free(metadata.uid!);
      this.options.cache.setPod(podInfoOf(pod));
      // A pod may wait for company.
      if (old === undefined || (old.spec.nodeName ?? '') === '' || hasOtherLabels(old, pod)) this.moved();
      return;
    }
    if (spec.schedulerName !== this.options.name) return;
    if (metadata.deletionTimestamp !== undefined || isGated(pod)) return this.queue.remove(metadata.uid!);
    if (this.options.cache.isAssumed(metadata.uid!)) return;
    // What the scheduler itself writes into the status does not bring a pod back.
    if (old !== undefined && !isGated(old) && isSameWish(old, pod)) return;
    this.options.informers.remember(pod);
    // Room that was made before this scheduler started.
    if ((status.nominatedNodeName ?? '') !== '' && this.options.nominations.nodeOf(metadata.uid!) === undefined)
      this.options.nominations.set(podInfoOf(pod), status.nominatedNodeName!);
    this.queue.add({ key: metadata.uid!, priority: spec.priority ?? 0 });
    this.wake();
  }

  private removePod({ metadata }: Pod): void {
    this.queue.remove(metadata.uid!);
    this.options.nominations.remove(metadata.uid!);
    this.options.informers.forget(metadata.uid!);
    this.free(metadata.uid!);
  }

  private free(uid: string): void {
    this.options.cache.removePod(uid);
    this.moved();
  }

  private moved(): void {
    this.queue.moveAll();
    this.wake();
  }

  /** Places what can be placed now, and comes back when the next pod may be tried. */
  private wake(): void {
    if (!this.running || this.isPlacing) return;
    this.cancelTimer?.();
    const nextMs = this.queue.nextMs();
    if (nextMs === undefined) return;
    if (nextMs > 0) {
      this.cancelTimer = this.options.clock.after(nextMs, () => this.wake());
      return;
    }
    this.isPlacing = true;
    void this.placeAll()
      .catch((error: unknown) => this.options.onError(error, this.name))
      .finally(() => {
        this.isPlacing = false;
        for (const resolve of this.idleWaiters.splice(0)) resolve();
        this.wake();
      });
  }

  private async placeAll(): Promise<void> {
    const slice = new TimeSlice();
    for (let next = this.queue.take(); next !== undefined && this.running; next = this.queue.take()) {
      const pod = this.options.informers.pending(next.key);
      if (pod === undefined) this.queue.remove(next.key);
      else this.placeOne(pod, next.mark);
      // Pods are placed no faster than they can be bound.
      if (this.inFlight.size >= this.options.binder.inFlightMax) await Promise.race(this.inFlight);
      if (slice.over) await slice.next();
    }
  }

  private placeOne(pod: Pod, mark: number): void {
    const uid = pod.metadata.uid!;
    const { cache, nominations, binder, onError } = this.options;
    const where = `scheduler ${pod.metadata.namespace}/${pod.metadata.name}`;
    const fail = (error: unknown): void => {
      // What a stop cuts off is no failure.
      if (this.stopping) return;
      onError(error, where);
      this.queue.failed(uid, mark, true);
      this.wake();
    };
    try {
      const attempt: PendingPod = { pod, info: podInfoOf(pod) };
      const { node, diagnosis } = this.placer.place(attempt, cache.view());
      if (node === undefined) {
        this.queue.failed(uid, mark, false);
        this.track(this.options.unschedulable(attempt, diagnosis).catch((error: unknown) => onError(error, where)));
        return;
      }
      nominations.remove(uid);
      cache.assume(attempt.info, node.name);
      const bound = binder.bind(attempt, node).then(
        () => this.queue.remove(uid),
        (error: unknown) => {
          cache.forget(uid);
          fail(error);
        },
      );
      this.track(bound);
    } catch (error) {
      fail(error);
    }
  }

  private track(work: Promise<void>): void {
    const tracked = work.finally(() => this.inFlight.delete(tracked));
    this.inFlight.add(tracked);
  }
}

function concernsPods(old: Node, node: Node): boolean {
  const relevant = ({ metadata, spec, status }: Node): string =>
    JSON.stringify([metadata.labels, spec.taints, spec.unschedulable, status.allocatable]);
  return relevant(old) !== relevant(node);
}

function hasOtherLabels(old: Pod, pod: Pod): boolean {
  return (
    old.metadata.labels !== pod.metadata.labels &&
    JSON.stringify(old.metadata.labels) !== JSON.stringify(pod.metadata.labels)
  );
}

/** Whether a pod asks for what it asked for before. */
/** Whether something must happen before the pod looks for a node: a gate is to open, a claim to be made. */
function isGated(pod: Pod): boolean {
  return (pod.spec.schedulingGates ?? []).length > 0 || waitsForClaims(pod);
}

function isSameWish(old: Pod, pod: Pod): boolean {
  return JSON.stringify([old.metadata.labels, old.spec]) === JSON.stringify([pod.metadata.labels, pod.spec]);
}
