import type { Deployment, ReplicaSet, StatefulSet } from '../../../pkg/generated/types/apps-v1.ts';
import type { Job } from '../../../pkg/generated/types/batch-v1.ts';
import type { Pod } from '../../../pkg/generated/types/core-v1.ts';
import type { ApiObject } from '../../../pkg/apimachinery/meta/object.ts';
import { ChangeLog } from './change-log.ts';
import { WantedCounts } from './wanted-counts.ts';

export const INDEX_ANNOTATION = 'batch.kubernetes.io/job-completion-index';

/** One change of the store, in the order of revisions. */
export interface Change {
  readonly key: string;
  /** Absent: it is deleted. */
  readonly object?: ApiObject;
  readonly atMs: number;
}

/**
 * What no sequence of failures may break, looked at after each change: pods of a set beyond what it wants, replica sets
 * beyond what their deployment may have, an ordinal before the ones below it, an index twice. A controller acts by what
 * it knows: a set may still be filled up to what it wanted a moment ago.
 */
export class SetBounds {
  readonly problems: string[] = [];
  /** What happened to the sets before the problems. */
  readonly details: string[] = [];
  readonly objects = new Map<string, ApiObject>();
  private readonly wanted: WantedCounts;
  private readonly changes: ChangeLog;

  constructor(lagMs: number) {
    this.wanted = new WantedCounts(lagMs);
    this.changes = new ChangeLog(4 * lagMs);
  }

  apply({ key, object, atMs }: Change): void {
    const known = this.objects.get(key);
    this.changes.add({ key, object, atMs }, known);
    if (object === undefined) {
      this.objects.delete(key);
      return;
    }
    this.objects.set(key, object);
    const isNew = known?.metadata.uid !== object.metadata.uid;
    switch (object.kind) {
      case 'Deployment':
        return this.wanted.set(object.metadata.uid!, largestDeployment(object as Deployment), atMs);
      case 'StatefulSet':
        return this.wanted.set(object.metadata.uid!, (object as StatefulSet).spec.replicas ?? 1, atMs);
      case 'Job':
        return this.wanted.set(object.metadata.uid!, (object as Job).spec.parallelism ?? 1, atMs);
      case 'ReplicaSet':
        return this.seeReplicaSet(object as ReplicaSet, isNew ? undefined : (known as ReplicaSet), atMs);
      case 'Pod':
        if (isNew) this.seeNewPod(object as Pod, atMs);
    }
  }

  owned<T extends ApiObject>(kind: string, uid: string): readonly T[] {
    return this.ofKind<T>(kind).filter((object) => controllerOf(object)?.uid === uid);
  }

  ofKind<T extends ApiObject>(kind: string): readonly T[] {
    return [...this.objects.values()].filter((object) => object.kind === kind) as unknown as readonly T[];
  }

  private seeReplicaSet(set: ReplicaSet, known: ReplicaSet | undefined, atMs: number): void {
    const replicas = set.spec.replicas ?? 1;
    this.wanted.set(set.metadata.uid!, replicas, atMs);
    const owner = controllerOf(set);
    if (owner === undefined || replicas <= (known?.spec.replicas ?? 0)) return;
    const sum = this.owned<ReplicaSet>('ReplicaSet', owner.uid).reduce(
      (total, one) => total + (one.spec.replicas ?? 1),
      0,
    );
    const greatest = this.wanted.greatest(owner.uid, atMs);
    if (greatest === undefined || sum <= greatest) return;
    const wanted = this.wanted.describe(owner.uid, atMs);
    this.problems.push(`${sum} replicas in the sets of deployment ${owner.name}, which may have ${wanted}`);
    this.describe(owner, atMs);
  }

  private seeNewPod(pod: Pod, atMs: number): void {
    const owner = controllerOf(pod);
    if (owner === undefined) return;
    const pods = this.owned<Pod>('Pod', owner.uid);
    const active = pods.filter(isActive);
    const greatest = this.wanted.greatest(owner.uid, atMs);
    const name = `${owner.kind} ${owner.name}`;
    const before = this.problems.length;
    if (owner.kind === 'ReplicaSet' || owner.kind === 'Job')
      this.bound(`active pods of ${name}`, active.length, greatest);
    if (owner.kind === 'StatefulSet') this.seeOrdinal(pod, owner.uid, active, greatest);
    if (owner.kind === 'Job') this.seeJobPod(name, owner.uid, pods);
    if (this.problems.length > before) this.describe(owner, atMs);
  }

  private seeOrdinal(pod: Pod, owner: string, active: readonly Pod[], greatest: number | undefined): void {
    // Pods of a set that is gone are deleted in any order, while its controller may not know of it.
    if (!this.ofKind('StatefulSet').some(({ metadata }) => metadata.uid === owner)) return;
    const ordinal = ordinalOf(pod);
    this.bound(`ordinal of ${pod.metadata.name}`, ordinal + 1, greatest);
    const lower = new Set(active.map(ordinalOf).filter((other) => other < ordinal)).size;
    if (lower !== ordinal) this.problems.push(`${pod.metadata.name} was created with ${lower} pods below it`);
  }

  private seeJobPod(name: string, owner: string, pods: readonly Pod[]): void {
    const job = this.ofKind<Job>('Job').find(({ metadata }) => metadata.uid === owner);
    const counted = pods.filter((pod) => isActive(pod) || pod.status.phase === 'Succeeded');
    this.bound(`active and succeeded pods of ${name}`, counted.length, job?.spec.completions);
    if (job?.spec.completionMode !== 'Indexed') return;
    const indexes = counted.map(({ metadata }) => metadata.annotations?.[INDEX_ANNOTATION]);
    if (new Set(indexes).size < indexes.length) this.problems.push(`${name} has an index twice: ${indexes.join()}`);
  }

  private describe({ kind, name, uid }: { kind: string; name: string; uid: string }, atMs: number): void {
    this.details.push(`${kind} ${name} at ${new Date().toISOString()}:`, ...this.changes.of(uid, atMs));
  }

  private bound(what: string, count: number, most: number | undefined): void {
    if (most !== undefined && count > most) this.problems.push(`${count} ${what}, at most ${most} are allowed`);
  }
}

export function controllerOf({ metadata }: ApiObject): { kind: string; name: string; uid: string } | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status.phase !== 'Succeeded' && status.phase !== 'Failed';
}

function ordinalOf({ metadata }: Pod): number {
  return Number(/-(\d+)$/.exec(metadata.name!)![1]);
}

function largestDeployment({ spec }: Deployment): number {
  const replicas = spec.replicas ?? 1;
  if (spec.strategy.type === 'Recreate') return replicas;
  const surge = spec.strategy.rollingUpdate?.maxSurge ?? '25%';
  return replicas + (typeof surge === 'number' ? surge : Math.ceil((replicas * parseInt(surge, 10)) / 100));
}
