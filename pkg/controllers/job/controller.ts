import { isFinished } from '../../api/batch/job/conditions.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import { jobs } from '../../api/batch/tokens.ts';
import { pods } from '../../api/core/tokens.ts';
import { isInvalid, isNotFound } from '../../apimachinery/errors/status-error.ts';
import { labelSelectorAsSelector } from '../../apimachinery/selectors/label-selector.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import { checkCanAdopt, claimObjects } from '../../client/reconcile/adoption.ts';
import { controllerOf, controllerReference, refersTo } from '../../client/reconcile/owner-references.ts';
import { ExponentialBackoff } from '../../client/workqueue/rate-limiter.ts';
import type { Job } from '../../generated/types/batch-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { type NewPod, PodControl } from '../owned/pod-control.ts';
import { ObjectsByController } from '../owned/pod-indexes.ts';
import { UpdateControl } from '../owned/update-control.ts';
import { WrittenObjects } from '../owned/written-objects.ts';
import { QueueController } from '../queue-controller.ts';
import { timed } from '../controller-metrics.ts';
import { isTracked, TRACKING_FINALIZER } from './job-pods.ts';
import { jobMetrics, type SyncAction } from './metrics.ts';
import { type FailureRecord, noFailures } from './pod-backoff.ts';
import { type JobSteps, reconcile } from './reconcile.ts';

const NAME = 'job-controller';
const BUILT_IN_MANAGER = 'kubernetes.io/job-controller';
/** Changes of pods are gathered for so long, so that a job with many writes its status seldom. */
const BATCH_MS = 200;
/** How long a job waits that failed, such as one whose pods a quota refuses. */
const BACKOFF_MS = { base: 1000, max: 60_000 } as const;
/** What keys of pods begin with in the queue, beside those of jobs. */
const POD_KEY = 'pod ';

export const jobController: ControllerDescriptor = {
  name: NAME,
  account: NAME,
  resources: [jobs, pods],
  create: (context, { workers }) => controllerOfJobs(context, workers.job),
};

/** Runs the pods of jobs until enough of them have succeeded. */
function controllerOfJobs(context: ControllerContext, workers: number): Controller {
  const { client, informers, clock } = context;
  const informer = informers.informer(jobs);
  const podInformer = informers.informer(pods);
  const podsByOwner = new ObjectsByController(podInformer);
  const writtenPods = new WrittenObjects<Pod>(podInformer, clock);
  const writtenJobs = new WrittenObjects<Job>(informer, clock);
  const statuses = new UpdateControl(client, jobs, writtenJobs);
  const failures = new Map<string, FailureRecord>();
  const recorder = context.recorder(NAME);
  const podControl = new PodControl(client, recorder, writtenPods);
  const metrics = jobMetrics(context.metrics);
  const now = (): string => formatTime(new Date(clock.wallMs()));

  const removeFinalizer = async (pod: Pod): Promise<Pod | undefined> => {
    const metadata = { uid: pod.metadata.uid, '$deleteFromPrimitiveList/finalizers': [TRACKING_FINALIZER] };
    const { namespace, name = '' } = pod.metadata;
    try {
      return await client.patch(pods, { namespace, name }, 'strategic', { metadata });
    } catch (error) {
      // Gone, or, where the uid is that of another object, taken.
      if (isNotFound(error) || isInvalid(error)) return undefined;
      throw error;
    }
  };
  const forget = (uid: string): void => {
    failures.delete(uid);
    podControl.forget(uid);
    statuses.forget(uid);
  };

  const reconcileJob = async (namespace: string, name: string): Promise<number | undefined> => {
    const shown = informer.lister.get({ namespace, name });
    if (shown === undefined || !isManagedHere(shown)) return undefined;
    const uid = shown.metadata.uid!;
    // What was written is kept until the informer shows it: its pods may be newer, and seem to be missing in the job.
    if (isFinished(shown.status)) {
      forget(uid);
      return undefined;
    }
    await statuses.findUnknown(uid);
    const job = writtenJobs.view(uid, [shown])[0]!;
    if (isFinished(job.status)) return undefined;
    const owner = { object: job, reference: controllerReference(jobs, job) };
    const dropFinalizer = async (pod: Pod): Promise<void> => {
      const patched = isTracked(pod) ? await removeFinalizer(pod) : undefined;
      if (patched === undefined) return;
      writtenPods.put(uid, patched);
      metrics.failureHandled(job, pod);
    };
    let action: SyncAction = 'tracking';
    let counted = job;
    const createPod = async (pod: NewPod): Promise<void> => {
      action = 'pods_created';
      try {
        await podControl.create(owner, pod);
      } catch (error) {
        metrics.podCreated(job, 'failed');
        throw error;
      }
      metrics.podCreated(job, 'succeeded');
    };
    const steps: JobSteps = {
      claimPods: async (object) => {
        await podControl.findUnknown(uid);
        return claimObjects([...writtenPods.view(uid, podsByOwner.ownedBy(uid)), ...podsByOwner.orphans(namespace)], {
          client,
          ownerResource: jobs,
          owner: object,
          resource: pods,
          selector: labelSelectorAsSelector(object.spec.selector),
          finalizers: [TRACKING_FINALIZER],
          canAdopt: () => checkCanAdopt(client, jobs, object),
        });
      },
      createPod,
      deletePod: (pod) => {
        action = 'reconciling';
        return podControl.delete(owner, pod);
      },
      dropPod: async (pod) => {
        action = 'pods_deleted';
        await dropFinalizer(pod);
        await podControl.delete(owner, pod);
      },
      removeFinalizer: dropFinalizer,
      writeStatus: async (object) => {
        const written = await statuses.update(uid, object, { subresource: 'status' });
        metrics.counted(counted, written);
        counted = written;
        return written;
      },
      failures: failures.get(uid) ?? noFailures,
      recordFailures: (record) => void failures.set(uid, record),
      event: (object, type, reason, note) => recorder.event(object, { type, reason, note }),
      nowMs: () => clock.wallMs(),
      now,
    };
    return timed(
      clock,
      () => reconcile(job, steps),
      (seconds, error) => metrics.synced(job, action, error !== undefined, seconds),
    );
  };

  /** The job of a pod, if it is there. */
  const jobOf = (pod: Pod): Job | undefined => {
    const reference = controllerOf(pod);
    if (reference === undefined || !refersTo(reference, jobs)) return undefined;
    const job = informer.lister.get({ namespace: pod.metadata.namespace ?? '', name: reference.name });
    return job?.metadata.uid === reference.uid ? job : undefined;
  };
  /** Whether no job counts the pod any more. */
  const isLeft = (pod: Pod): boolean => {
    const reference = controllerOf(pod);
    if (!isTracked(pod) || (reference !== undefined && !refersTo(reference, jobs))) return false;
    const job = jobOf(pod);
    return job === undefined || (isManagedHere(job) && isFinished(job.status));
  };
  const reconcilePod = async (namespace: string, name: string): Promise<void> => {
    const pod = podInformer.lister.get({ namespace, name });
    if (pod !== undefined && isLeft(pod)) await removeFinalizer(pod);
  };

  const controller = new QueueController(context, {
    name: NAME,
    workers,
    rateLimiter: new ExponentialBackoff(BACKOFF_MS.base, BACKOFF_MS.max),
    reconcile: (key) => {
      const isPod = key.startsWith(POD_KEY);
      const { namespace, name } = splitKey(isPod ? key.slice(POD_KEY.length) : key);
      return isPod ? reconcilePod(namespace, name) : reconcileJob(namespace, name);
    },
  });
  controller.handle(informer, {
    onAdd: (job) => {
      if (!isManagedHere(job)) metrics.external(job.spec.managedBy!);
      controller.queue.add(keyOf(job));
    },
    onUpdate: (old, job) => {
      // Of the status, most often written here, after pods: batched with those.
      const isStatus = old.metadata.generation === job.metadata.generation;
      controller.queue.addAfter(keyOf(job), isStatus ? BATCH_MS : 0);
    },
    onDelete: (job) => {
      const { uid = '' } = job.metadata;
      forget(uid);
      for (const pod of podsByOwner.ownedBy(uid)) if (isTracked(pod)) controller.queue.add(POD_KEY + keyOf(pod));
    },
  });
  const podKeys = (pod: Pod): readonly string[] => {
    const job = jobOf(pod);
    if (job !== undefined) return [keyOf(job), ...(isLeft(pod) ? [POD_KEY + keyOf(pod)] : [])];
    if (controllerOf(pod) !== undefined) return isLeft(pod) ? [POD_KEY + keyOf(pod)] : [];
    // Any job of its namespace may want it.
    const wanting = informer.lister
      .list({ namespace: pod.metadata.namespace ?? '' })
      .filter(({ spec }) => labelSelectorAsSelector(spec.selector).matches(pod.metadata.labels));
    if (wanting.length > 0) return wanting.map(keyOf);
    return isLeft(pod) ? [POD_KEY + keyOf(pod)] : [];
  };
  controller.follow(podInformer, podKeys, { delayMs: BATCH_MS });
  controller.handle(podInformer, {
    onAdd: (pod) => metrics.podChanged(undefined, pod),
    onUpdate: (old, pod) => metrics.podChanged(old, pod),
    onDelete: (pod) => metrics.podChanged(pod, undefined),
  });
  return controller;
}

function isManagedHere({ spec }: Job): boolean {
  return (spec.managedBy ?? BUILT_IN_MANAGER) === BUILT_IN_MANAGER;
}
