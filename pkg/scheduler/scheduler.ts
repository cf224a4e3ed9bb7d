import { lacksClaims, waitsForClaims } from './plugins/dynamic-resources.ts';
import { TimeSlice } from '../apimachinery/time-slice.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { EventRecorder } from '../client/events/event-recorder.ts';
import type { Node, Pod } from '../generated/types/core-v1.ts';
import type { HandlerPlace } from '../controllers/controller-context.ts';
import type { Controller } from '../controllers/controller.ts';
import type { ClusterEvent } from './cluster-event.ts';
import type { ClusterCache } from './cluster-cache.ts';
import type { Nominations } from './nominations.ts';
import type { PodBinder } from './pod-binder.ts';
import { podInfoOf, type PodInfo } from './pod-info.ts';
import { PodPlacer, type Diagnosis, type SchedulingPlugins } from './schedule-pod.ts';
import type { ClusterView, PendingPod } from './plugin.ts';
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
  /** Says that an attempt did not come to an end, and why. */
  readonly failed: (pod: PendingPod, error: unknown) => Promise<void>;
  readonly onError: (error: unknown, where: string) => void;
}

interface FailedAttempt {
  readonly attempt: PendingPod;
  readonly rejectedBy: Diagnosis['rejectedBy'];
}

/**
 * Gives pods to nodes. One pod is placed at a time, on what the cache shows; it is bound in the background, and counts
 * as placed meanwhile. A pod that no node can take waits until something changes that may help it.
 */
export class Scheduler implements Controller {
  readonly name = 'scheduler';
  private readonly options: SchedulerOptions;
  private readonly queue: SchedulingQueue<FailedAttempt>;
  private readonly placer: PodPlacer;
  private places: HandlerPlace[] = [];
  private readonly inFlight = new Set<Promise<void>>();
  /** Uids of pods that wait for a claim to devices. */
  private readonly withoutClaims = new Set<string>();
  /** What is being written about failed attempts, by uid of the pod. */
  private readonly reports = new Map<string, Promise<void>>();
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
    this.places = [
      informers.nodes.addHandler({
        onAdd: (node) => this.setNode(undefined, node),
        onUpdate: (old, node) => this.setNode(old, node),
        onDelete: (node) => {
          this.options.cache.removeNode(node.metadata.name!);
          this.moved({ kind: 'nodeRemoved', node });
        },
      }),
      informers.pods.addHandler({
        onAdd: (pod) => this.setPod(undefined, pod),
        onUpdate: (old, pod) => this.setPod(old, pod),
        onDelete: (pod) => this.removePod(pod),
      }),
      ...Array.from(informers.others, ([kind, objects]) => {
        return objects.addHandler({
          onAdd: (object: ApiObject) => this.moved({ kind, object }),
          onUpdate: (old: ApiObject, object: ApiObject) => this.moved({ kind, old, object }),
          // A volume or a class that goes makes no pod fit; a claim may have had devices.
          onDelete: (object: ApiObject) => {
            if (kind === 'resourceClaim') this.moved({ kind, object, isRemoved: true });
          },
        });
      }),
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
    if (old === undefined || concernsPods(old, node)) this.moved({ kind: 'node', old, node });
  }

  private setPod(old: Pod | undefined, pod: Pod): void {
    const { metadata, spec, status } = pod;
    if (old !== undefined && old.metadata.uid !== metadata.uid) this.removePod(old);
    if ((spec.nodeName ?? '') !== '') {
      this.dequeue(metadata.uid!);
      this.options.nominations.remove(metadata.uid!);
      if (status.phase === 'Succeeded' || status.phase === 'Failed') return this.free(metadata.uid!);
      const info = podInfoOf(pod);
      const before = this.options.cache.setPod(info);
      if (before === undefined || isOther(before, info)) this.moved({ kind: 'pod', old: before, pod: info });
      return;
    }
    if (spec.schedulerName !== this.options.name) return;
    if (metadata.deletionTimestamp !== undefined || isGated(pod)) return this.dequeue(metadata.uid!);
    if (this.options.cache.isAssumed(metadata.uid!)) return;
    // What the scheduler itself writes into the status does not bring a pod back.
    if (old !== undefined && !isGated(old) && isSameWish(old, pod)) return;
    this.options.informers.remember(pod);
    if (this.lacksClaims(pod)) return;
    // Room that was made before this scheduler started.
    if ((status.nominatedNodeName ?? '') !== '' && this.options.nominations.nodeOf(metadata.uid!) === undefined)
      this.options.nominations.set(podInfoOf(pod), status.nominatedNodeName!);
    this.queue.add({ key: metadata.uid!, priority: spec.priority ?? 0 });
    this.wake();
  }

  private dequeue(uid: string): void {
    this.queue.remove(uid);
    this.withoutClaims.delete(uid);
  }

  /** Whether a claim of the pod is not there, or is not its own: it waits, and nothing is said of that. */
  private lacksClaims(pod: Pod): boolean {
    if (!lacksClaims(pod, this.options.informers.lookups.devices)) return false;
    this.queue.remove(pod.metadata.uid!);
    this.withoutClaims.add(pod.metadata.uid!);
    return true;
  }

  /** A claim has come or changed: pods that lack none any more look for a node. */
  private retryWithoutClaims(): void {
    const { informers } = this.options;
    for (const uid of this.withoutClaims) {
      const pod = informers.pending(uid);
      if (pod !== undefined && lacksClaims(pod, informers.lookups.devices)) continue;
      this.withoutClaims.delete(uid);
      if (pod !== undefined) this.queue.add({ key: uid, priority: pod.spec.priority ?? 0 });
    }
  }

  private removePod({ metadata }: Pod): void {
    this.dequeue(metadata.uid!);
    const nominated = this.options.nominations.remove(metadata.uid!);
    this.options.informers.forget(metadata.uid!);
    this.free(metadata.uid!, nominated);
  }

  /** The pod takes no room any more; `nominated`: it had none, but some was kept for it. */
  private free(uid: string, nominated?: PodInfo): void {
    const pod = this.options.cache.removePod(uid) ?? nominated;
    if (pod !== undefined) this.moved({ kind: 'podRemoved', pod });
  }

  private moved(event: ClusterEvent): void {
    const { cache } = this.options;
    if (event.kind === 'resourceClaim') this.retryWithoutClaims();
    let view: ClusterView | undefined;
    this.queue.move(({ attempt, rejectedBy }) => {
      view ??= cache.view();
      for (const plugin of rejectedBy) if (plugin.mayHelp(event, attempt, view)) return true;
      return false;
    });
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
    for (let uid = this.queue.take(); uid !== undefined && this.running; uid = this.queue.take()) {
      // What its status says of the last attempt is written before the next one.
      await this.reports.get(uid);
      const pod = this.options.informers.pending(uid);
      if (pod === undefined) this.queue.remove(uid);
      else if (!this.lacksClaims(pod)) this.placeOne(pod);
      // Pods are placed no faster than they can be bound.
      if (this.inFlight.size >= this.options.binder.inFlightMax) await Promise.race(this.inFlight);
      if (slice.over) await slice.next();
    }
  }

  private placeOne(pod: Pod): void {
    const uid = pod.metadata.uid!;
    const { cache, nominations, binder, unschedulable, failed, informers, onError } = this.options;
    const attempt: PendingPod = { pod, info: podInfoOf(pod) };
    const fail = (error: unknown): void => {
      // What a stop cuts off is no failure.
      if (this.stopping) return this.queue.remove(uid);
      if (informers.pending(uid) === undefined) {
        this.queue.remove(uid);
        // Of one that is gone there is an event, for who looks for it; one that another program placed is well.
        return informers.isThere(pod) ? undefined : this.report(pod, failed(attempt, error));
      }
      onError(error, whereOf(pod));
      this.queue.failed(uid);
      this.report(pod, failed(attempt, error));
      this.wake();
    };
    try {
      const { node, diagnosis } = this.placer.place(attempt, cache.view());
      if (node === undefined) {
        const { rejectedBy } = diagnosis;
        if (rejectedBy.size > 0) this.queue.rejected(uid, { attempt, rejectedBy });
        else this.queue.failed(uid);
        return this.report(pod, unschedulable(attempt, diagnosis));
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

  private report(pod: Pod, work: Promise<void>): void {
    const uid = pod.metadata.uid!;
    const report = work
      .catch((error: unknown) => this.options.onError(error, whereOf(pod)))
      .finally(() => {
        if (this.reports.get(uid) === report) this.reports.delete(uid);
      });
    this.reports.set(uid, report);
    this.track(report);
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

/** Whether other pods may see a difference: in its labels, or in what it takes. */
function isOther(old: PodInfo, pod: PodInfo): boolean {
  return JSON.stringify([old.labels, [...old.requests]]) !== JSON.stringify([pod.labels, [...pod.requests]]);
}

function whereOf({ metadata }: Pod): string {
  return `scheduler ${metadata.namespace}/${metadata.name}`;
}

/** Whether something must happen before the pod looks for a node: a gate is to open, a claim to be made. */
function isGated(pod: Pod): boolean {
  return (pod.spec.schedulingGates ?? []).length > 0 || waitsForClaims(pod);
}

/** Whether a pod asks for what it asked for before. */
function isSameWish(old: Pod, pod: Pod): boolean {
  return JSON.stringify([old.metadata.labels, old.spec]) === JSON.stringify([pod.metadata.labels, pod.spec]);
}
