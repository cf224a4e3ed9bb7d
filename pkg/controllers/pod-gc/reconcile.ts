import type { Node, Pod, PodCondition } from '../../generated/types/core-v1.ts';
import { isNodeReady, isOutOfService } from '../owned/node-state.ts';
import { hasEnded } from '../owned/pod-state.ts';

/** Why a pod fails. */
export type FailureCondition = Omit<PodCondition, 'lastProbeTime'>;

/** Why a pod is deleted, as metrics name it. */
export type DeletionReason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';

export interface PodGcSteps {
  readonly pods: readonly Pod[];
  readonly nodes: ReadonlyMap<string, Node>;
  /** Ended pods that may stay; 0: all of them. */
  readonly terminatedPodsMax: number;
  /** Whether the node has been absent for long enough, and is by what is stored. */
  readonly isGone: (node: string) => Promise<boolean>;
  /** Marks a pod that has not ended as failed, with the condition, and deletes it at once. */
  readonly deletePod: (pod: Pod, condition?: FailureCondition) => Promise<void>;
  /** One more pod was to be deleted, and that failed or not. */
  readonly observe: (pod: Pod, reason: DeletionReason, isDeleted: boolean) => void;
  /** RFC 3339. */
  readonly now: () => string;
}

/** Pods that are deleted at once. */
const CALLS_AT_ONCE = 20;

/** One round: deletes pods that no other program deletes. Rejects when one could not be deleted, after the others. */
export async function collectPods(steps: PodGcSteps): Promise<void> {
  const { pods, nodes, deletePod, observe } = steps;
  const failures: unknown[] = [];
  const seen = new Set<Pod>();
  const remove = async (
    reason: DeletionReason,
    chosen: readonly Pod[],
    condition?: FailureCondition,
  ): Promise<void> => {
    const waiting = chosen.filter((pod) => !seen.has(pod)).values();
    const work = async (): Promise<void> => {
      for (const pod of waiting) {
        seen.add(pod);
        try {
          await deletePod(pod, condition);
          observe(pod, reason, true);
        } catch (error) {
          observe(pod, reason, false);
          failures.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
  };
  await remove('terminated', tooManyEnded(pods, steps.terminatedPodsMax));
  await remove(
    'out-of-service',
    pods.filter((pod) => isOnNodeOutOfService(pod, nodes)),
  );
  await remove('orphaned', await orphans(steps), {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    lastTransitionTime: steps.now(),
  });
  await remove(
    'unscheduled',
    pods.filter((pod) => isDeleted(pod) && nodeOf(pod) === ''),
  );
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} pods could not be deleted`);
}

/** Evicted pods first, then the oldest. */
function tooManyEnded(pods: readonly Pod[], max: number): readonly Pod[] {
  if (max <= 0) return [];
  const ended = pods.filter(hasEnded);
  const order = ({ status, metadata }: Pod): string[] => [
    status.phase === 'Failed' && status.reason === 'Evicted' ? '0' : '1',
    metadata.creationTimestamp ?? '',
    metadata.name ?? '',
  ];
  const rows = ended.map((pod) => ({ pod, key: order(pod).join(' ') }));
  rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  return rows.slice(0, Math.max(0, ended.length - max)).map(({ pod }) => pod);
}

/** Deleted, on a node that was declared to be off for good. */
function isOnNodeOutOfService(pod: Pod, nodes: ReadonlyMap<string, Node>): boolean {
  const node = nodes.get(nodeOf(pod));
  if (node === undefined || !isDeleted(pod)) return false;
  return !isNodeReady(node) && isOutOfService(node);
}

async function orphans({ pods, nodes, isGone }: PodGcSteps): Promise<Pod[]> {
  const names = new Set(pods.map(nodeOf).filter((name) => name !== '' && !nodes.has(name)));
  const gone = new Set<string>();
  for (const name of names) if (await isGone(name)) gone.add(name);
  return pods.filter((pod) => gone.has(nodeOf(pod)));
}

function isDeleted({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function nodeOf({ spec }: Pod): string {
  return spec.nodeName ?? '';
}
