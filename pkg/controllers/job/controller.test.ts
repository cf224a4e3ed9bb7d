import assert from 'node:assert/strict';
import { jobs } from '../../api/batch/tokens.ts';
import { events, pods } from '../../api/core/tokens.ts';
import { ConnectionError } from '../../client/rest/client.ts';
import type { Job } from '../../generated/types/batch-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { jobController } from './controller.ts';
import { COMPLETION_INDEX, isTracked, TRACKING_FINALIZER } from './job-pods.ts';

const name = { namespace: 'ns', name: 'work' };
const labels = { job: 'work' };

describe('the job controller', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    const config = { workers: { job: 2 } } as ControllersConfig;
    await fixture.start(jobController.create(fixture.context, config)!);
  });
  afterEach(async () => {
    await fixture.stop();
    assert.deepEqual(fixture.errors, []);
  });

  const create = async (spec: Partial<Job['spec']> = {}): Promise<void> => {
    await fixture.client.create(jobs, {
      metadata: name,
      spec: {
        parallelism: 1,
        backoffLimit: 6,
        completionMode: 'NonIndexed',
        podReplacementPolicy: 'TerminatingOrFailed',
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }] } },
        ...spec,
      } as Job['spec'],
      status: {},
    });
    await wait();
  };
  /** Until changes of pods have been worked on. */
  const wait = (ms = 1000): Promise<void> => fixture.clock.advance(ms);
  const job = (): Job => fixture.cluster.find(jobs, name)!;
  const allPods = (): readonly Pod[] => fixture.cluster.all(pods);
  const active = (): readonly Pod[] =>
    allPods().filter(({ status }) => !['Succeeded', 'Failed'].includes(status.phase!));
  const end = async (pod: Pod, phase: 'Succeeded' | 'Failed', status: object = {}): Promise<void> => {
    fixture.cluster.put(pods, { ...pod, status: { ...pod.status, phase, ...status } });
    await wait();
  };
  const trueConditions = (): string[] =>
    (job().status.conditions ?? [])
      .filter(({ status }) => status === 'True')
      .map(({ type, reason }) => `${type} ${reason}`);
  const eventsOf = (): string[] => fixture.cluster.all(events).map(({ reason = '' }) => reason);
  const indexes = (): string[] => active().map(({ metadata }) => metadata.annotations![COMPLETION_INDEX]!);

  it('runs pods until enough have succeeded, never more at once than it may', async () => {
    await create({ completions: 3, parallelism: 2 });
    assert.equal(active().length, 2);
    assert.ok(active().every(isTracked));
    for (let left = 3; left > 0; left--) {
      assert.equal(active().length, Math.min(2, left));
      await end(active()[0]!, 'Succeeded');
    }
    assert.deepEqual(trueConditions(), ['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached']);
    const { succeeded, active: running, ready, terminating, uncountedTerminatedPods, completionTime } = job().status;
    assert.deepEqual([succeeded, running, ready, terminating], [3, undefined, 0, 0]);
    assert.deepEqual(uncountedTerminatedPods, {});
    assert.ok(completionTime);
    assert.equal(allPods().some(isTracked), false);
    assert.ok(eventsOf().includes('Completed'));
  });

  it('replaces failed pods after 10 s, 20 s and so on, and gives up behind the limit', async () => {
    await create({ completions: 1, backoffLimit: 2 });
    for (const seconds of [10, 20]) {
      await end(active()[0]!, 'Failed', { containerStatuses: [ended(1)] });
      await wait((seconds - 2) * 1000);
      assert.equal(active().length, 0);
      await wait(2000);
      assert.equal(active().length, 1);
    }
    await end(active()[0]!, 'Failed', { containerStatuses: [ended(1)] });
    assert.deepEqual(trueConditions(), ['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded']);
    assert.equal(job().status.failed, 3);
    assert.equal(allPods().some(isTracked), false);
  });

  const ended = (exitCode: number): object => ({
    name: 'main',
    restartCount: 0,
    state: { terminated: { exitCode, finishedAt: fixture.cluster.now } },
  });

  it('counts each pod once, whatever write fails', async () => {
    await create({ completions: 2, parallelism: 2 });
    let failures = 0;
    fixture.client.before = ({ verb }) => {
      if ((verb === 'patch' || verb === 'update') && failures++ % 2 === 0) throw new Error('broken');
    };
    const [first, second] = active();
    await end(first!, 'Succeeded');
    await end(second!, 'Failed');
    await wait(20_000);
    await end(active()[0]!, 'Succeeded');
    await wait(20_000);
    fixture.client.before = () => undefined;
    assert.deepEqual([job().status.succeeded, job().status.failed], [2, 1]);
    assert.deepEqual(trueConditions()[1], 'Complete CompletionsReached');
    assert.equal(allPods().length, 3);
    fixture.errors.length = 0;
  });

  it('creates no pod for a job that has ended, while only its pods are seen as they are', async () => {
    for (const completionMode of ['Indexed', 'NonIndexed']) {
      await create({ completions: 1, completionMode });
      const release = await fixture.holdEvents(jobs);
      await end(active()[0]!, 'Succeeded');
      assert.equal(trueConditions().length, 2);
      for (const round of ['1', '2']) {
        const [pod] = allPods();
        fixture.cluster.put(pods, { ...pod!, metadata: { ...pod!.metadata, annotations: { round } } });
        await wait();
      }
      assert.equal(allPods().length, 1);
      await release();
      fixture.cluster.remove(pods, allPods()[0]!.metadata as { name: string });
      fixture.cluster.remove(jobs, name);
      await wait();
    }
  });

  it('reads the status of which it does not know whether it was written', async () => {
    await create({ completions: 1 });
    const release = await fixture.holdEvents(jobs);
    const update = fixture.client.update.bind(fixture.client);
    fixture.client.update = async (resource, object, options) => {
      const updated = await update(resource, object, options);
      if (!trueConditions().some((text) => text.startsWith('Complete'))) return updated;
      throw new ConnectionError('ECONNRESET');
    };
    const ofJobs = (): string[] =>
      fixture.cluster.calls
        .filter(({ verb, resource }) => resource === 'jobs' && verb !== 'watch')
        .map(({ verb }) => verb);
    const before = ofJobs().length;
    await end(active()[0]!, 'Succeeded');
    await wait(20_000);
    assert.deepEqual(ofJobs().slice(before), ['update', 'update', 'get']);
    assert.equal(job().status.succeeded, 1);
    fixture.errors.length = 0;
    await release();
  });

  it('gives each pod its index, and runs an index again that has failed', async () => {
    await create({ completionMode: 'Indexed', completions: 3, parallelism: 2 });
    assert.deepEqual(indexes(), ['0', '1']);
    const [pod] = active();
    assert.equal(pod!.spec.hostname, 'work-0');
    assert.equal(pod!.metadata.labels![COMPLETION_INDEX], '0');
    assert.equal(pod!.spec.containers![0]!.env![0]!.name, 'JOB_COMPLETION_INDEX');
    await end(active()[1]!, 'Succeeded');
    assert.deepEqual(indexes(), ['0', '2']);
    await end(active()[0]!, 'Failed');
    await wait(11_000);
    assert.deepEqual(indexes().toSorted(), ['0', '2']);
    assert.equal(job().status.completedIndexes, '1');
  });

  it('fails indexes by their own limit, and the job when no index is left', async () => {
    await create({ completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 1 });
    await end(active()[0]!, 'Failed');
    assert.equal(job().status.failedIndexes, '');
    // The failed pod keeps the count of its index until another has it.
    assert.equal(allPods().filter(isTracked).length, 2);
    await wait(10_000);
    const again = active().find(({ metadata }) => metadata.annotations![COMPLETION_INDEX] === '0')!;
    assert.equal(again.metadata.annotations!['batch.kubernetes.io/job-index-failure-count'], '1');
    await end(again, 'Failed');
    assert.equal(job().status.failedIndexes, '0');
    assert.deepEqual(indexes(), ['1']);
    await end(active()[0]!, 'Succeeded');
    assert.deepEqual(trueConditions(), ['FailureTarget FailedIndexes', 'Failed FailedIndexes']);
    assert.deepEqual([job().status.failed, job().status.succeeded], [2, 1]);
  });

  it('stops a job that is active for too long, and waits for its pods', async () => {
    await create({ completions: 1, activeDeadlineSeconds: 30 });
    const [pod] = active();
    fixture.cluster.put(pods, { ...pod!, metadata: { ...pod!.metadata, finalizers: [TRACKING_FINALIZER, 'x/y'] } });
    await wait(31_000);
    assert.deepEqual(trueConditions(), ['FailureTarget DeadlineExceeded']);
    assert.deepEqual([job().status.terminating, job().status.failed], [1, 1]);
    fixture.cluster.remove(pods, { namespace: 'ns', name: pod!.metadata.name! });
    await wait();
    assert.deepEqual(trueConditions(), ['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded']);
    assert.equal(job().status.terminating, 0);
  });

  it('names no end before the start where the clock of the host was set back', async () => {
    await create({ completions: 1 });
    fixture.clock.setWall(fixture.clock.wallMs() - 3_600_000);
    await end(active()[0]!, 'Succeeded');
    const { startTime, completionTime, conditions } = job().status;
    assert.ok(completionTime);
    assert.equal(completionTime, startTime);
    assert.equal(conditions?.find(({ type }) => type === 'Complete')?.lastTransitionTime, startTime);
  });

  it('stops a job when its deadline is over by the clock of the host, however that is set', async () => {
    await create({ completions: 1, activeDeadlineSeconds: 1800 });
    fixture.clock.setWall(fixture.clock.wallMs() - 3_600_000);
    await wait(1_800_000);
    assert.deepEqual(trueConditions(), []);
    fixture.clock.setWall(fixture.clock.wallMs() + 7_200_000);
    await fixture.client.patch(jobs, name, 'merge', { metadata: { labels: { seen: 'yes' } } });
    await wait();
    assert.deepEqual(trueConditions(), ['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded']);
  });

  it('deletes the pods of a suspended job without counting them, and starts again', async () => {
    await create({ completions: 2, parallelism: 2 });
    const { startTime } = job().status;
    await wait(5000);
    await fixture.client.patch(jobs, name, 'merge', { spec: { suspend: true } });
    await wait();
    assert.deepEqual([allPods().length, job().status.failed, job().status.startTime], [0, undefined, undefined]);
    const statuses = fixture.requests.filter(({ verb }) => verb === 'update').map(({ body }) => (body as Job).status);
    assert.ok(statuses.some(({ active: running, terminating }) => running === undefined && terminating === 2));
    assert.equal(job().status.terminating, 0);
    assert.deepEqual(trueConditions(), ['Suspended JobSuspended']);
    await fixture.client.patch(jobs, name, 'merge', { spec: { suspend: false } });
    await wait();
    assert.deepEqual([active().length, trueConditions()], [2, []]);
    assert.notEqual(job().status.startTime, startTime);
  });

  it('follows the rules about failed pods', async () => {
    const rules = [
      { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } },
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    ];
    await create({ completions: 1, backoffLimit: 0, podFailurePolicy: { rules }, podReplacementPolicy: 'Failed' });
    await end(active()[0]!, 'Failed', { conditions: [{ type: 'DisruptionTarget', status: 'True' }] });
    await wait(11_000);
    assert.deepEqual([active().length, job().status.failed], [1, undefined]);
    const { name: podName } = active()[0]!.metadata;
    await end(active()[0]!, 'Failed', { containerStatuses: [ended(42)] });
    const message = `Container main for pod ns/${podName} failed with exit code 42 matching FailJob rule at index 0`;
    assert.deepEqual(job().status.conditions?.at(-1)?.message, message);
    assert.deepEqual(trueConditions(), ['FailureTarget PodFailurePolicy', 'Failed PodFailurePolicy']);
  });

  it('ends when a success rule holds, and does not count the pods that it stops', async () => {
    const successPolicy = { rules: [{ succeededIndexes: '0,2', succeededCount: 1 }] };
    await create({ completionMode: 'Indexed', completions: 3, parallelism: 3, successPolicy });
    await end(active()[1]!, 'Succeeded');
    assert.deepEqual(trueConditions(), []);
    await end(active()[1]!, 'Succeeded');
    assert.deepEqual(trueConditions(), ['SuccessCriteriaMet SuccessPolicy', 'Complete SuccessPolicy']);
    const { completedIndexes, failed } = job().status;
    assert.deepEqual([completedIndexes, failed, active().length], ['1,2', undefined, 0]);
  });

  it('replaces a pod that is being deleted only when it has failed, if the job says so', async () => {
    await create({ completions: 1, podReplacementPolicy: 'Failed' });
    const [pod] = active();
    await fixture.client.delete(pods, { namespace: 'ns', name: pod!.metadata.name! });
    await wait(30_000);
    assert.deepEqual([allPods().length, job().status.terminating, job().status.failed], [1, 1, undefined]);
    await end(allPods()[0]!, 'Failed');
    await wait(30_000);
    assert.deepEqual([active().length, job().status.failed], [1, 1]);
  });

  it('tries again after 1 s, 2 s and so on where its pods are refused', async () => {
    let refused = 0;
    fixture.client.before = ({ verb, resource }) => {
      if (verb !== 'create' || resource !== 'pods') return;
      refused++;
      throw new Error('exceeded quota');
    };
    await create({ completions: 1 });
    const afterFirst = refused;
    await wait(9000);
    assert.deepEqual([afterFirst, refused], [2, 4]);
    fixture.client.before = () => undefined;
    await wait(8000);
    assert.equal(active().length, 1);
    fixture.errors.length = 0;
  });

  it('leaves jobs of other managers alone', async () => {
    await create({ completions: 1, managedBy: 'example.org/else' });
    assert.deepEqual([allPods().length, job().status], [0, {}]);
  });

  it('removes the finalizer from pods of jobs that are gone', async () => {
    await create({ completions: 1 });
    fixture.cluster.remove(jobs, name);
    await wait();
    assert.deepEqual(allPods().map(isTracked), [false]);
  });

  it('creates no second pod where a server ends before it answers that it has stored the first', async () => {
    const recover = fixture.loseFirstPod();
    await create({ completions: 1 });
    assert.equal(allPods().length, 1);
    recover();
    await wait(60_000);
    assert.deepEqual([allPods().length, job().status.active], [1, 1]);
  });
});
