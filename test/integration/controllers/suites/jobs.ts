import assert from 'node:assert/strict';
import { cronJobs, jobs } from '../../../../pkg/api/batch/tokens.ts';
import { events, pods } from '../../../../pkg/api/core/tokens.ts';
import { isNotFound } from '../../../../pkg/apimachinery/errors/status-error.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { cronJobController } from '../../../../pkg/controllers/cronjob/controller.ts';
import { jobController } from '../../../../pkg/controllers/job/controller.ts';
import { ttlAfterFinishedController } from '../../../../pkg/controllers/ttl-after-finished/controller.ts';
import type { Job } from '../../../../pkg/generated/types/batch-v1.ts';
import type { Pod } from '../../../../pkg/generated/types/core-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const CONFIG = { workers: { job: 5, cronJob: 2, ttlAfterFinished: 2 } } as ControllersConfig;
const FINALIZER = 'batch.kubernetes.io/job-tracking';
const name = 'work';

export const jobSuite: ControllerSuite = {
  name: 'job, cronjob and ttl after finished',
  define(host) {
    let namespace: string;
    beforeEach(async () => (namespace = await host.namespace()));
    const startJobs = async (): Promise<void> =>
      void (await host.start((context) => jobController.create(context, CONFIG)!));

    const template = {
      metadata: {},
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: 'app:1', resources: {} }],
      },
    };
    const create = (spec: Partial<Job['spec']>): Promise<Job> =>
      host.client.create(jobs, { metadata: { name, namespace }, spec: { template, ...spec }, status: {} });
    const job = (): Promise<Job> => host.client.get(jobs, { namespace, name });
    const allPods = async (): Promise<readonly Pod[]> => (await host.client.list(pods, { namespace })).items;
    const podsOf = async (count: number): Promise<readonly Pod[]> => {
      const active = async (): Promise<readonly Pod[]> =>
        (await allPods()).filter(({ metadata, status }) => !metadata.deletionTimestamp && status.phase === 'Pending');
      await until(async () => (await active()).length === count, `${count} active pods`);
      return active();
    };
    const end = ({ metadata }: Pod, status: object): Promise<unknown> =>
      host.client.patch(pods, { namespace, name: metadata.name! }, 'merge', { status }, { subresource: 'status' });
    const conditions = async (): Promise<string[]> =>
      ((await job()).status.conditions ?? [])
        .filter(({ status }) => status === 'True')
        .map(({ type, reason }) => `${type} ${reason}`);
    const untilEnd = (type: 'Complete' | 'Failed'): Promise<void> =>
      until(async () => (await conditions()).some((text) => text.startsWith(type)), `the job is ${type}`);

    it('runs indexed jobs, with statuses that the server accepts', async () => {
      await startJobs();
      const { metadata } = await create({ completionMode: 'Indexed', completions: 2, parallelism: 2 });
      const [first, second] = (await podsOf(2)).toSorted((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
      assert.match(first!.metadata.name!, /^work-0-[a-z0-9]{5}$/);
      assert.equal(first!.spec.hostname, 'work-0');
      assert.deepEqual(first!.metadata.labels, {
        'batch.kubernetes.io/controller-uid': metadata.uid,
        'batch.kubernetes.io/job-completion-index': '0',
        'batch.kubernetes.io/job-name': name,
        'controller-uid': metadata.uid,
        'job-name': name,
      });
      assert.deepEqual(first!.metadata.finalizers, [FINALIZER]);
      await end(second!, { phase: 'Succeeded' });
      await until(async () => (await job()).status.completedIndexes === '1', 'the index');
      await end(first!, { phase: 'Succeeded' });
      await untilEnd('Complete');
      const { succeeded, completedIndexes, active, ready, terminating, completionTime } = (await job()).status;
      assert.deepEqual([succeeded, completedIndexes, active, ready, terminating], [2, '0,1', undefined, 0, 0]);
      assert.ok(completionTime);
      assert.deepEqual(
        (await allPods()).map((pod) => pod.metadata.finalizers),
        [undefined, undefined],
      );
    });

    it('fails a job by a rule about its pods, and stops the others', async () => {
      await startJobs();
      const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }];
      await create({ completions: 2, parallelism: 2, podFailurePolicy: { rules } });
      const [first] = await podsOf(2);
      const terminated = { exitCode: 42, finishedAt: '2026-01-01T00:00:00Z' };
      const containerStatuses = [
        { name: 'main', image: 'app:1', imageID: '', ready: false, restartCount: 0, state: { terminated } },
      ];
      await end(first!, { phase: 'Failed', containerStatuses });
      await untilEnd('Failed');
      const message = `Container main for pod ${namespace}/${first!.metadata.name} failed with exit code 42 matching FailJob rule at index 0`;
      const { status } = await job();
      assert.deepEqual(
        status.conditions?.map((condition) => [condition.type, condition.reason, condition.message]),
        ['FailureTarget', 'Failed'].map((type) => [type, 'PodFailurePolicy', message]),
      );
      assert.equal(status.failed, 2);
      const reasons = async (): Promise<unknown[]> =>
        (await host.client.list(events, { namespace })).items.map(({ reason }) => reason);
      await until(async () => (await reasons()).includes('PodFailurePolicy'), 'the event');
    });

    it('suspends and resumes, and replaces a deleted pod only when it has failed', async () => {
      await startJobs();
      await create({ completions: 1, podReplacementPolicy: 'Failed' });
      const suspend = (value: boolean): Promise<unknown> =>
        host.client.patch(jobs, { namespace, name }, 'merge', { spec: { suspend: value } });
      await podsOf(1);
      await suspend(true);
      await until(async () => (await conditions()).join() === 'Suspended JobSuspended', 'suspension');
      await until(async () => (await job()).status.terminating === 0, 'the end of the pod');
      assert.deepEqual([(await job()).status.startTime, (await job()).status.failed], [undefined, undefined]);
      await suspend(false);
      const [pod] = await podsOf(1);
      await until(async () => Boolean((await job()).status.startTime), 'the time of the new start');
      await host.client.delete(pods, { namespace, name: pod!.metadata.name! });
      await until(async () => (await job()).status.terminating === 1, 'a terminating pod');
      assert.deepEqual([(await allPods()).length, (await job()).status.active], [1, undefined]);
      await end(pod!, { phase: 'Failed' });
      await until(async () => (await allPods()).length === 0, 'the end of the pod');
      await until(async () => (await job()).status.failed === 1, 'the failure');
    });

    it('leaves no finalizer on pods of a job that is deleted', async () => {
      await startJobs();
      await create({ completions: 1 });
      await podsOf(1);
      await host.client.delete(jobs, { namespace, name }, { propagationPolicy: 'Background' });
      await until(async () => (await allPods())[0]?.metadata.finalizers === undefined, 'removal of the finalizer');
    });

    it('creates jobs by their schedule, one at a time, and deletes them after their end', async () => {
      await startJobs();
      await host.start((context) => cronJobController.create(context, CONFIG)!);
      await host.start((context) => ttlAfterFinishedController.create(context, CONFIG)!);
      await host.client.create(cronJobs, {
        metadata: { name: 'tick', namespace },
        spec: {
          schedule: '@every 1s',
          concurrencyPolicy: 'Forbid',
          jobTemplate: { metadata: {}, spec: { template, ttlSecondsAfterFinished: 0 } },
        },
        status: {},
      });
      const [pod] = await podsOf(1);
      const { name: jobName = '' } = pod!.metadata.ownerReferences![0]!;
      assert.match(jobName, /^tick-\d+$/);
      const cronJob = (): Promise<{ status: { active?: { name?: string }[]; lastSuccessfulTime?: string | null } }> =>
        host.client.get(cronJobs, { namespace, name: 'tick' });
      await until(async () => (await cronJob()).status.active?.[0]?.name === jobName, 'the job in the status');
      await host.client.patch(cronJobs, { namespace, name: 'tick' }, 'merge', { spec: { suspend: true } });
      await end(pod!, { phase: 'Succeeded' });
      const isGone = (): Promise<boolean> =>
        host.client.get(jobs, { namespace, name: jobName }).then(
          ({ metadata }) => metadata.deletionTimestamp !== undefined,
          (error: unknown) => {
            if (!isNotFound(error)) throw error;
            return true;
          },
        );
      await until(isGone, 'deletion of the job');
      await until(async () => Boolean((await cronJob()).status.lastSuccessfulTime), 'the time of the success');
    });
  },
};
