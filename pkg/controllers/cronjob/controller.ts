import { CronError, parseCronSchedule } from '../../api/batch/cron-job/cron-schedule.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import { cronJobs, jobs } from '../../api/batch/tokens.ts';
import { controllerOf, refersTo } from '../../client/reconcile/owner-references.ts';
import type { ObjectName } from '../../client/rest/client.ts';
import type { CronJob, Job } from '../../generated/types/batch-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { ObjectsByController } from '../owned/pod-indexes.ts';
import { exponentialBuckets } from '../controller-metrics.ts';
import { QueueController } from '../queue-controller.ts';
import { nextRunInMs } from './missed-runs.ts';
import { SCHEDULED_TIMESTAMP } from './new-job.ts';
import { reconcile } from './reconcile.ts';

const NAME = 'cronjob-controller';

export const cronJobController: ControllerDescriptor = {
  name: NAME,
  account: NAME,
  resources: [cronJobs, jobs],
  create: (context, { workers }) => controllerOfCronJobs(context, workers.cronJob),
};

/** Creates jobs on schedules. */
function controllerOfCronJobs(context: ControllerContext, workers: number): Controller {
  const { client, informers, clock } = context;
  const informer = informers.informer(cronJobs);
  const jobInformer = informers.informer(jobs);
  const jobsByOwner = new ObjectsByController<Job>(jobInformer);
  const recorder = context.recorder(NAME);
  const skews = context.metrics.histogram({
    name: 'cronjob_controller_job_creation_skew_duration_seconds',
    help: 'Time from when a job was due until it was created.',
    buckets: exponentialBuckets(1, 2, 10),
  });

  const reconcileCronJob = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = splitKey(key);
    const cronJob = informer.lister.get({ namespace, name });
    if (cronJob === undefined) return undefined;
    return reconcile(cronJob, jobsByOwner.ownedBy(cronJob.metadata.uid!), {
      readJob: (reference) => client.get(jobs, { namespace, name: reference.name! }),
      readActive: async () => (await client.get(cronJobs, { namespace, name })).status.active ?? [],
      createJob: async (job) => {
        const created = await client.create(jobs, job);
        const dueMs = Date.parse(job.metadata.annotations?.[SCHEDULED_TIMESTAMP] ?? '');
        const createdMs = Date.parse(created.metadata.creationTimestamp ?? '');
        if (Number.isFinite(createdMs - dueMs)) skews.observe((createdMs - dueMs) / 1000);
        return created;
      },
      deleteJob: ({ metadata }) =>
        client.delete(jobs, metadata as ObjectName, {
          propagationPolicy: 'Background',
          preconditions: { uid: metadata.uid },
        }),
      writeStatus: (object) => client.update(cronJobs, object, { subresource: 'status' }),
      event: (type, reason, note) => recorder.event(cronJob, { type, reason, note }),
      nowMs: () => clock.wallMs(),
    });
  };

  const controller = new QueueController(context, {
    name: NAME,
    workers,
    reconcile: reconcileCronJob,
  });
  controller.handle(informer, {
    onAdd: (cronJob) => controller.queue.add(keyOf(cronJob)),
    onUpdate: (old, cronJob) =>
      controller.queue.addAfter(keyOf(cronJob), delayAfterUpdate(old, cronJob, clock.wallMs())),
    onDelete: (cronJob) => controller.queue.add(keyOf(cronJob)),
  });
  controller.follow(jobInformer, (job) => {
    const reference = controllerOf(job);
    const isOwned = reference !== undefined && refersTo(reference, cronJobs);
    return isOwned ? [`${job.metadata.namespace}/${reference.name}`] : [];
  });
  return controller;
}

/** A new schedule begins with its next time: what it would have missed before it was there is not run. */
function delayAfterUpdate(old: CronJob, cronJob: CronJob, nowMs: number): number {
  const { schedule, timeZone } = cronJob.spec;
  if (old.spec.schedule === schedule && old.spec.timeZone === timeZone) return 0;
  try {
    return nextRunInMs(cronJob, parseCronSchedule(schedule), nowMs) ?? 0;
  } catch (error) {
    // The reconcile says it in an event.
    if (error instanceof CronError || error instanceof RangeError) return 0;
    throw error;
  }
}
