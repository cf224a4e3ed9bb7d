import { finishedCondition } from '../../api/batch/job/conditions.ts';
import { splitKey } from '../../client/informer/object-key.ts';
import { jobs } from '../../api/batch/tokens.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { Job } from '../../generated/types/batch-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { exponentialBuckets } from '../controller-metrics.ts';
import { QueueController } from '../queue-controller.ts';

const NAME = 'ttl-after-finished-controller';

export const ttlAfterFinishedController: ControllerDescriptor = {
  name: NAME,
  account: NAME,
  resources: [jobs],
  create: (context, { workers }) => controllerOfFinishedJobs(context, workers.ttlAfterFinished),
};

/** Deletes jobs some time after their end (KEP-592). */
function controllerOfFinishedJobs(context: ControllerContext, workers: number): Controller {
  const { client, informers, clock } = context;
  const informer = informers.informer(jobs);
  const delays = context.metrics.histogram({
    name: 'ttl_after_finished_controller_job_deletion_duration_seconds',
    help: 'Time from when a job was to be deleted until it was.',
    buckets: exponentialBuckets(0.1, 2, 14),
  });

  const reconcile = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = splitKey(key);
    const shown = informer.lister.get({ namespace, name });
    const shownMs = shown === undefined ? undefined : expiresInMs(shown, clock.wallMs());
    if (shownMs === undefined || shownMs > 0) return shownMs;
    try {
      // The cache may not show a longer time that the job has got meanwhile.
      const job = await client.get(jobs, { namespace, name });
      const leftMs = expiresInMs(job, clock.wallMs());
      if (leftMs === undefined || leftMs > 0) return leftMs;
      const { uid, resourceVersion } = job.metadata;
      const preconditions = { uid, resourceVersion };
      await client.delete(jobs, { namespace, name }, { propagationPolicy: 'Foreground', preconditions });
      delays.observe(-(expiresInMs(job, clock.wallMs()) ?? 0) / 1000);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  };

  const controller = new QueueController(context, {
    name: NAME,
    workers,
    reconcile,
  });
  const follow = (job: Job): void => {
    const leftMs = expiresInMs(job, clock.wallMs());
    if (leftMs !== undefined) controller.queue.addAfter(`${job.metadata.namespace}/${job.metadata.name}`, leftMs);
  };
  controller.handle(informer, { onAdd: follow, onUpdate: (_, job) => follow(job) });
  return controller;
}

/** Milliseconds until the job is to go, 0 or less when it is time; undefined: it stays. */
function expiresInMs({ metadata, spec, status }: Job, nowMs: number): number | undefined {
  const ttl = spec.ttlSecondsAfterFinished;
  const finish = finishedCondition(status);
  if (ttl === undefined || finish === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const finishedMs = Date.parse(finish.lastTransitionTime ?? '');
  return Number.isNaN(finishedMs) ? undefined : finishedMs + ttl * 1000 - nowMs;
}
