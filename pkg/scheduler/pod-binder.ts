import { pods, persistentVolumeClaims, persistentVolumes } from '../api/core/tokens.ts';
import { sleep, type Clock } from '../apimachinery/clock.ts';
import { isAtLeast } from '../apimachinery/meta/resource-version.ts';
import type { EventRecorder } from '../client/events/event-recorder.ts';
import type { Client } from '../client/rest/client.ts';
import type { Binding, PersistentVolume, PersistentVolumeClaim, Pod } from '../generated/types/core-v1.ts';
import { BOUND_BY_CONTROLLER, SELECTED_NODE } from '../controllers/persistent-volume-binder/names.ts';
import type { NodeInfo } from './node-info.ts';
import type { PendingPod } from './plugin.ts';
import { decideVolumes, type VolumeDecisions } from './plugins/volume-binding.ts';
import { isBound, podVolumesOf } from './volumes/pod-volumes.ts';
import { reserveDevices, type DeviceReservation } from './devices/claim-binder.ts';
import type { DeviceCache } from './devices/device-cache.ts';
import type { VolumeCache } from './volumes/volume-cache.ts';

/** How long the volumes of one pod may take until they are bound. */
const VOLUMES_MS = 600_000;
const VOLUMES_POLL_MS = 250;

export interface PodBinderOptions {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly volumes: VolumeCache;
  readonly devices: DeviceCache;
  /** Whether the server still shows the pod. */
  readonly isThere: (pod: Pod) => boolean;
  /** Pods that are bound at once; those that wait for volumes do not count. */
  readonly inFlightMax: number;
}

/** Writes what the scheduler decided: first the volumes of the pod, then the pod's node. */
export class PodBinder {
  readonly inFlightMax: number;
  private readonly options: PodBinderOptions;
  private readonly stopping = new AbortController();

  constructor(options: PodBinderOptions) {
    this.options = options;
    this.inFlightMax = options.inFlightMax;
  }

  /** Rejects when the pod has not got the node; what was assumed of its volumes and devices is forgotten then. */
  async bind(pending: PendingPod, nodeInfo: NodeInfo): Promise<void> {
    const { client, devices } = this.options;
    const { pod } = pending;
    if ((pod.spec.resourceClaims ?? []).length === 0) return this.bindPod(pending, nodeInfo);
    const reservation = reserveDevices(client, devices, pod, nodeInfo.node!);
    try {
      await this.bindPod(pending, nodeInfo, reservation);
    } catch (error) {
      reservation.forget();
      throw error;
    }
  }

  private async bindPod(
    { pod, info }: PendingPod,
    { name: nodeName, node }: NodeInfo,
    reservation?: DeviceReservation,
  ): Promise<void> {
    const { client, recorder, volumes } = this.options;
    const { signal } = this.stopping;
    const claims = info.claims.length === 0 ? undefined : podVolumesOf(pod, volumes);
    if (typeof claims === 'string') throw new Error(claims);
    if (claims !== undefined && claims.delayed.length > 0) {
      const decisions = decideVolumes(claims.delayed, node!, volumes);
      if ('rejected' in decisions) throw new Error(`the volumes of node ${nodeName} were given to others meanwhile`);
      await named('running PreBind plugin "VolumeBinding"', this.bindVolumes(pod, decisions, nodeName));
    }
    if (reservation !== undefined)
      await named('running PreBind plugin "DynamicResources"', reservation.write(this.options.clock, signal));
    const binding: Binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace: info.namespace, name: info.name, uid: info.uid },
      target: { kind: 'Node', name: nodeName },
    };
    const bound = client.subresource(pods, info, 'binding', { method: 'POST', body: binding }, { signal });
    await named('running Bind plugin "DefaultBinder"', bound);
    recorder.event(pod, {
      type: 'Normal',
      reason: 'Scheduled',
      action: 'Binding',
      note: `Successfully assigned ${info.namespace}/${info.name} to ${nodeName}`,
    });
  }

  /** Calls that are not over reject. */
  stop(): void {
    this.stopping.abort(new Error('the scheduler stops'));
  }

  private async bindVolumes(pod: Pod, decisions: VolumeDecisions, nodeName: string): Promise<void> {
    const { volumes } = this.options;
    const assumed = decisions.bind.map(({ claim, volume }) => {
      const { namespace, name, uid, resourceVersion } = claim.metadata;
      const { metadata, spec } = volume;
      const after = {
        ...volume,
        metadata: { ...metadata, annotations: { ...metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' } },
        spec: {
          ...spec,
          claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion },
        },
      };
      volumes.assume(volume, after);
      return after;
    });
    try {
      const provisioned = await this.writeDecisions(assumed, decisions.provision, nodeName);
      const claims = [...decisions.bind.map(({ claim }) => claim), ...provisioned];
      await named('binding volumes', this.untilBound(pod, claims, nodeName));
    } catch (error) {
      for (const { metadata } of assumed) volumes.forget(metadata.name!);
      throw error;
    }
  }

  /** Gives the claims that are to be provisioned, as they are then. */
  private async writeDecisions(
    assumed: readonly PersistentVolume[],
    provision: readonly PersistentVolumeClaim[],
    nodeName: string,
  ): Promise<readonly PersistentVolumeClaim[]> {
    const { client } = this.options;
    const { signal } = this.stopping;
    for (const volume of assumed) await client.update(persistentVolumes, volume, { signal });
    const claims: PersistentVolumeClaim[] = [];
    for (const { metadata } of provision) {
      const { namespace, name, resourceVersion } = metadata;
      const patch = { metadata: { resourceVersion, annotations: { [SELECTED_NODE]: nodeName } } };
      claims.push(await client.patch(persistentVolumeClaims, { namespace, name: name! }, 'merge', patch, { signal }));
    }
    return claims;
  }

  private async untilBound(pod: Pod, claims: readonly PersistentVolumeClaim[], nodeName: string): Promise<void> {
    const { clock, volumes, isThere } = this.options;
    const end = clock.steadyMs() + VOLUMES_MS;
    for (;;) {
      if (!isThere(pod))
        throw new Error(`pod does not exist any more: pod ${JSON.stringify(pod.metadata.name)} not found`);
      const now = claims.map(({ metadata }) => volumes.claim(metadata.namespace!, metadata.name!));
      if (now.every((claim) => claim !== undefined && isBound(claim))) return;
      const refused = claims.find((claim, i) => isRefused(now[i], claim, nodeName));
      if (refused !== undefined)
        throw new Error(`provisioning failed for PVC ${JSON.stringify(refused.metadata.name)}`);
      this.stopping.signal.throwIfAborted();
      if (clock.steadyMs() > end) throw new Error('context deadline exceeded');
      await sleep(clock, VOLUMES_POLL_MS, this.stopping.signal);
    }
  }
}

/** Events and conditions show the step that failed, with what it says. */
async function named(step: string, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw new Error(`${step}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Whether a claim is gone, or its provisioner has taken the node's name away: it cannot make a volume there. */
function isRefused(
  current: PersistentVolumeClaim | undefined,
  awaited: PersistentVolumeClaim,
  nodeName: string,
): boolean {
  if (current === undefined || current.metadata.uid !== awaited.metadata.uid) return true;
  if (awaited.metadata.annotations?.[SELECTED_NODE] !== nodeName || (current.spec.volumeName ?? '') !== '')
    return false;
  const isSeen = isAtLeast(current.metadata.resourceVersion!, awaited.metadata.resourceVersion!);
  return isSeen && current.metadata.annotations?.[SELECTED_NODE] !== nodeName;
}
