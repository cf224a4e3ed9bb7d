import { pods } from '../../api/core/tokens.ts';
import { resourceClaims, resourceSlices } from '../../api/resource/tokens.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { ResourceClaim, ResourceSlice } from '../../generated/types/resource-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { evictPod } from '../owned/evict-pod.ts';
import { evictionMetrics } from '../owned/eviction-metrics.ts';
import { QueueController } from '../queue-controller.ts';
import { claimKeysOf } from '../resource-claim/claim-names.ts';
import { deviceTaints, hasEvictingTaint } from './eviction-time.ts';
import { DeviceEvictions } from './reconcile.ts';

const NAME = 'device-taint-eviction-controller';
const COMPONENT = 'device-taint-eviction';
const WORKERS = 8;
const REASON = {
  reason: 'DeletionByDeviceTaintManager',
  message: 'Device Taint manager: deleting due to NoExecute taint',
};

const BY_CLAIM = 'resourceclaim';
const BY_POOL = 'device-pool';

export const deviceTaintEvictionController: ControllerDescriptor = {
  name: NAME,
  account: NAME,
  resources: [pods, resourceClaims, resourceSlices],
  create: evictionController,
};

/** Deletes the pods whose claims have devices with NoExecute taints that they do not tolerate, or no longer. */
function evictionController(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const podInformer = informers.informer(pods);
  const claims = informers.informer(resourceClaims);
  const slices = informers.informer(resourceSlices);
  podInformer.addIndex(BY_CLAIM, claimKeysOf);
  claims.addIndex(BY_POOL, poolsOf);
  slices.addIndex(BY_POOL, ({ spec }) => [poolKey(spec.driver, spec.pool.name)]);
  const recorder = context.recorder(COMPONENT);
  const metrics = evictionMetrics(context.metrics, 'device_taint_eviction_controller');

  const event = ({ metadata: { namespace, name, uid } }: Pod, note: string): void =>
    recorder.event(
      { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
      { type: 'Normal', reason: 'DeviceTaintManagerEviction', note },
    );
  const evictions = new DeviceEvictions({
    pod: (key) => podInformer.lister.get(splitKey(key)),
    claimsOf: (pod) => claimKeysOf(pod).flatMap((key) => claims.lister.get(splitKey(key)) ?? []),
    taintsOf: ({ driver, pool, device }) =>
      deviceTaints(slices.lister.listByIndex(BY_POOL, poolKey(driver, pool)), device),
    evict: async (pod, dueMs) => {
      event(pod, 'Marking for deletion');
      await evictPod(client, pod, REASON, formatTime(new Date(clock.wallMs())));
      metrics.deletions.increment();
      metrics.delays.observe((clock.wallMs() - dueMs) / 1000);
    },
    cancelled: (pod) => event(pod, 'Cancelling deletion'),
    nowMs: () => clock.wallMs(),
  });

  const controller = new QueueController(context, {
    name: NAME,
    workers: WORKERS,
    reconcile: (key) => evictions.reconcile(key),
  });
  const usersChanged = (claim: ResourceClaim): void => {
    for (const pod of podInformer.lister.listByIndex(BY_CLAIM, keyOf(claim))) controller.queue.add(keyOf(pod));
  };
  const sliceChanged = (slice: ResourceSlice): void => {
    const pool = poolKey(slice.spec.driver, slice.spec.pool.name);
    for (const claim of claims.lister.listByIndex(BY_POOL, pool)) usersChanged(claim);
  };
  controller.handle(slices, {
    onAdd: sliceChanged,
    onUpdate(old, slice) {
      if (hasEvictingTaint(old) || hasEvictingTaint(slice)) sliceChanged(slice);
    },
    onDelete: sliceChanged,
  });
  controller.handle(claims, {
    onAdd: usersChanged,
    onUpdate(old, claim) {
      if (!deepEqual(old.status, claim.status)) usersChanged(claim);
    },
    onDelete: usersChanged,
  });
  controller.handle(podInformer, {
    onAdd: (pod) => {
      if (usesClaims(pod)) controller.queue.add(keyOf(pod));
    },
    onUpdate: (old, pod) => {
      if (!usesClaims(pod)) return;
      const isPlaced = old.spec.nodeName !== pod.spec.nodeName || old.metadata.uid !== pod.metadata.uid;
      if (isPlaced || !deepEqual(old.status.resourceClaimStatuses, pod.status.resourceClaimStatuses))
        controller.queue.add(keyOf(pod));
    },
    onDelete: (pod) => {
      if (usesClaims(pod)) controller.queue.add(keyOf(pod));
    },
  });
  return controller;
}

function usesClaims({ spec }: Pod): boolean {
  return (spec.resourceClaims ?? []).length > 0;
}

function poolsOf({ status }: ResourceClaim): readonly string[] {
  const results = status?.allocation?.devices?.results ?? [];
  return [...new Set(results.map(({ driver, pool }) => poolKey(driver, pool)))];
}

function poolKey(driver: string, pool: string): string {
  return `${driver}/${pool}`;
}
