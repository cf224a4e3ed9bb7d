import { pods } from '../api/core/tokens.ts';
import type { Clock } from '../apimachinery/clock.ts';
import { isNotFound } from '../apimachinery/errors/status-error.ts';
import { formatTime } from '../apimachinery/values/time.ts';
import type { EventRecorder } from '../client/events/event-recorder.ts';
import type { Client } from '../client/rest/client.ts';
import type { Pod, PodCondition } from '../generated/types/core-v1.ts';
import type { ClusterView, FilterPlugin, PendingPod } from './plugin.ts';
import type { Nominations } from './nominations.ts';
import { findVictims, type Budget, type Victims } from './preempt.ts';
import { diagnosisText, type Diagnosis } from './schedule-pod.ts';

export interface UnschedulableOptions {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly filters: readonly FilterPlugin[];
  readonly view: () => ClusterView;
  readonly budgets: () => readonly Budget[];
  readonly nominations: Nominations;
}

/** Set by plugins for devices, which have nothing to give back here. */
const NO_CLAIMS = 'no new claims to deallocate';

/** Says in the pod's status and in an event why it has no node, and deletes pods of lower priority where that helps. */
export async function reportUnschedulable(
  pending: PendingPod,
  diagnosis: Diagnosis,
  options: UnschedulableOptions,
): Promise<void> {
  const { pod } = pending;
  const preemption = preemptFor(pending, diagnosis, options);
  const victims = typeof preemption === 'string' ? undefined : preemption;
  const text = diagnosisText(diagnosis);
  const note = typeof preemption === 'string' ? `${text} ${preemption}` : text;
  options.recorder.event(pod, { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note });
  if (victims !== undefined) {
    options.nominations.set(pending.info, victims.node.name);
    await deleteVictims(pending, victims, options);
  }
  await writeCondition(pod, note, victims?.node.name, options);
}

/** The pods to delete, or why none are. */
function preemptFor(
  pending: PendingPod,
  diagnosis: Diagnosis,
  { filters, view, budgets, nominations }: UnschedulableOptions,
): Victims | string {
  if (diagnosis.rejected !== undefined && diagnosis.rejected.isLast !== true) return 'not found';
  const { pod, info } = pending;
  const cluster = view();
  const none = (why: string): string => `${NO_CLAIMS}, preemption: ${why}`;
  if (pod.spec.preemptionPolicy === 'Never') return none('not eligible due to preemptionPolicy=Never.');
  const nominated = nominations.nodeOf(info.uid);
  const waitsFor = cluster.nodes.find(({ name }) => name === nominated);
  if (waitsFor !== undefined && [...waitsFor.pods.values()].some((p) => p.deleting && p.priority < info.priority))
    return none('not eligible due to a terminating pod on the nominated node.');
  const found = findVictims(filters, pending, cluster, diagnosis, budgets());
  return found.node === undefined ? `${NO_CLAIMS}, ${found.message}` : found;
}

async function deleteVictims(
  { pod, info }: PendingPod,
  { pods: victims, node }: Victims,
  { client, recorder, clock }: UnschedulableOptions,
): Promise<void> {
  await Promise.all(
    victims.map(async ({ namespace, name, uid }) => {
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'PreemptionByScheduler',
        message: `${pod.spec.schedulerName}: preempting to accommodate a higher priority pod`,
        lastTransitionTime: formatTime(new Date(clock.wallMs())),
      };
      try {
        const patch = { metadata: { uid }, status: { conditions: [condition] } };
        await client.patch(pods, { namespace, name }, 'strategic', patch, { subresource: 'status' });
        await client.delete(pods, { namespace, name }, { preconditions: { uid } });
      } catch (error) {
        // Gone already: the room is there.
        if (!isNotFound(error)) throw error;
        return;
      }
      recorder.event(
        { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
        {
          type: 'Normal',
          reason: 'Preempted',
          action: 'Preempting',
          note: `Preempted by pod ${info.uid} on node ${node.name}`,
          related: pod,
        },
      );
    }),
  );
}

/** Nothing is written where the pod says so already. */
async function writeCondition(
  { metadata, status }: Pod,
  message: string,
  nominatedNodeName: string | undefined,
  { client, clock }: UnschedulableOptions,
): Promise<void> {
  const known = status.conditions?.find(({ type }) => type === 'PodScheduled');
  const isSame = known?.status === 'False' && known.reason === 'Unschedulable' && known.message === message;
  if (isSame && (nominatedNodeName === undefined || status.nominatedNodeName === nominatedNodeName)) return;
  const condition: PodCondition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastProbeTime: null,
    lastTransitionTime: known?.status === 'False' ? known.lastTransitionTime : formatTime(new Date(clock.wallMs())),
  };
  const patch = {
    metadata: { uid: metadata.uid },
    status: { conditions: [condition], ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }) },
  };
  try {
    const name = { namespace: metadata.namespace!, name: metadata.name! };
    await client.patch(pods, name, 'strategic', patch, { subresource: 'status' });
  } catch (error) {
    // Deleted while it was looked at.
    if (!isNotFound(error)) throw error;
  }
}
