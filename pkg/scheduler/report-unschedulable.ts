import { pods } from '../api/core/tokens.ts';
import { resourceClaims } from '../api/resource/tokens.ts';
import type { Clock } from '../apimachinery/clock.ts';
import { isNotFound } from '../apimachinery/errors/status-error.ts';
import { formatTime } from '../apimachinery/values/time.ts';
import type { EventRecorder } from '../client/events/event-recorder.ts';
import type { Client } from '../client/rest/client.ts';
import type { Pod, PodCondition } from '../generated/types/core-v1.ts';
import type { ClusterView, FilterPlugin, PendingPod } from './plugin.ts';
import { claimToFree } from './plugins/dynamic-resources.ts';
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
  /** The pod with the status that was written. */
  readonly written: (pod: Pod) => void;
}

/** What the plugin for devices says first: there are no claims, none can be freed, one was. */
const NO_CLAIMS = 'no new claims to deallocate';
const CLAIMS_KEPT = 'still not schedulable';
const CLAIM_FREED = 'deallocation of ResourceClaim completed';

/** Longer notes are cut. */
const NOTE_MAX = 1024;
const CUT = ' ...';

/** Says in the pod's status and in an event why it has no node, and deletes pods of lower priority where that helps. */
export async function reportUnschedulable(
  pending: PendingPod,
  diagnosis: Diagnosis,
  options: UnschedulableOptions,
): Promise<void> {
  const { pod, info } = pending;
  const claims = await freeClaim(pending, diagnosis, options);
  const { victims, message, nominatedNodeName } = preemptFor(pending, diagnosis, claims, options);
  const text = diagnosisText(diagnosis);
  const note = message === undefined ? text : `${text} ${message}`;
  recordFailure(pod, note, options);
  if (nominatedNodeName === '') options.nominations.remove(info.uid);
  if (victims !== undefined) {
    options.nominations.set(info, victims.node.name);
    await deleteVictims(pending, victims, options);
  }
  await writeCondition(pod, { reason: 'Unschedulable', message: note }, nominatedNodeName, options);
}

/** Says that a pod was not placed for a reason that lies neither in it nor in the nodes. */
export async function reportFailure({ pod }: PendingPod, error: unknown, options: UnschedulableOptions): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  recordFailure(pod, message, options);
  await writeCondition(pod, { reason: 'SchedulerError', message }, undefined, options);
}

function recordFailure(pod: Pod, text: string, { recorder }: UnschedulableOptions): void {
  const note = text.length > NOTE_MAX ? `${text.slice(0, NOTE_MAX - CUT.length)}${CUT}` : text;
  recorder.event(pod, { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note });
}

interface Outcome {
  /** The pods to delete. */
  readonly victims?: Victims;
  /** Why none are. */
  readonly message?: string;
  /** The node for which the pod is to wait; empty: for none any more; undefined: as before. */
  readonly nominatedNodeName?: string;
}

/** Frees devices that keep the pod off every node; gives what to say of its claims. */
async function freeClaim(
  { pod }: PendingPod,
  { byNode, rejected }: Diagnosis,
  { client, view }: UnschedulableOptions,
): Promise<string> {
  if (rejected !== undefined || (pod.spec.resourceClaims ?? []).length === 0) return NO_CLAIMS;
  const claim = claimToFree(pod, byNode, view());
  if (claim === undefined) return CLAIMS_KEPT;
  const { allocation: _allocation, reservedFor: _reserved, devices: _devices, ...status } = claim.status ?? {};
  await client.update(resourceClaims, { ...claim, status }, { subresource: 'status' });
  return CLAIM_FREED;
}

function preemptFor(
  pending: PendingPod,
  diagnosis: Diagnosis,
  claims: string,
  { filters, view, budgets, nominations }: UnschedulableOptions,
): Outcome {
  if (diagnosis.nodeCount === 0) return {};
  if (diagnosis.rejected !== undefined && diagnosis.rejected.isLast !== true) return { message: 'not found' };
  const { pod, info } = pending;
  const cluster = view();
  const because = (why: string): string => `${claims}, preemption: ${why}`;
  if (pod.spec.preemptionPolicy === 'Never') return { message: because('not eligible due to preemptionPolicy=Never.') };
  const nominated = nominations.nodeOf(info.uid);
  const waitsFor = cluster.nodes.find(({ name }) => name === nominated);
  const isUnresolvable = nominated !== undefined && diagnosis.byNode.get(nominated)?.preemptible === false;
  const isBeingEmptied = [...(waitsFor?.pods.values() ?? [])].some((p) => p.preempted && p.priority < info.priority);
  if (!isUnresolvable && isBeingEmptied)
    return { message: because('not eligible due to a terminating pod on the nominated node.') };
  const found = findVictims(filters, pending, cluster, diagnosis, budgets());
  return found.node === undefined
    ? { message: because(found.message), nominatedNodeName: '' }
    : { victims: found, nominatedNodeName: found.node.name };
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

/** Nothing is written where the pod says so already. `nominatedNodeName`: see `Outcome`. */
async function writeCondition(
  { metadata, status }: Pod,
  { reason, message }: { readonly reason: string; readonly message: string },
  nominatedNodeName: string | undefined,
  { client, clock, written }: UnschedulableOptions,
): Promise<void> {
  const known = status.conditions?.find(({ type }) => type === 'PodScheduled');
  const isSame = known?.status === 'False' && known.reason === reason && known.message === message;
  const keepsNode = nominatedNodeName === undefined || (status.nominatedNodeName ?? '') === nominatedNodeName;
  if (isSame && keepsNode) return;
  const condition: PodCondition = {
    type: 'PodScheduled',
    status: 'False',
    reason,
    message,
    lastProbeTime: null,
    lastTransitionTime: known?.status === 'False' ? known.lastTransitionTime : formatTime(new Date(clock.wallMs())),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  };
  const patch = {
    metadata: { uid: metadata.uid },
    status: { conditions: [condition], ...(keepsNode ? {} : { nominatedNodeName: nominatedNodeName || null }) },
  };
  try {
    const name = { namespace: metadata.namespace!, name: metadata.name! };
    written(await client.patch(pods, name, 'strategic', patch, { subresource: 'status' }));
  } catch (error) {
    // Deleted while it was looked at.
    if (!isNotFound(error)) throw error;
  }
}
