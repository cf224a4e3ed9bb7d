import assert from 'node:assert/strict';
import type { Kubectl } from '../kubectl/kubectl.ts';
import { described, rows } from '../kubectl/printed.ts';
import { eventually, movingCluster } from './moving-cluster.ts';

const template = (script: string, restartPolicy = 'Never'): object => ({
  spec: { restartPolicy, containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script] }] },
});

describe('jobs in a cluster', function () {
  this.timeout(120_000);
  const cluster = movingCluster();
  let kubectl: Kubectl;

  before(async () => {
    kubectl = await cluster().inNew('jobs');
  });

  const create = (name: string, spec: object): Promise<string> =>
    kubectl.input({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec }).ok`create -f -`;
  const status = async (name: string): Promise<any> => (await kubectl.json`get job ${name}`).status;

  it('waits for a job that completes', async () => {
    await create('pi', { completions: 3, parallelism: 2, template: template('echo 3.14; sleep 1') });
    assert.equal(await kubectl.ok`wait --for=condition=complete job/pi --timeout=60s`, 'job.batch/pi condition met\n');
    assert.match(await kubectl.ok`get job pi`, /pi +Complete +3\/3 /);
    assert.match(await kubectl.ok`logs job/pi`, /^3\.14\n$/m);
    const shown = described(await kubectl.ok`describe job pi`);
    assert.ok(shown.includes('Pods Statuses: 0 Active (0 Ready) / 3 Succeeded / 0 Failed'), shown.join('\n'));
    assert.match(shown.at(-1)!, /^Normal Completed \S+ job-controller Job completed$/);
    await kubectl.ok`delete job pi`;
    await eventually(
      async () => (await kubectl.ok`get pods --selector=job-name=pi -o name`) === '',
      'no pods of a job that is gone',
    );
  });

  it('waits for a job that fails', async () => {
    await create('bad', { backoffLimit: 0, template: template('exit 3') });
    await kubectl.ok`wait --for=condition=failed job/bad --timeout=60s`;
    assert.match(await kubectl.ok`get job bad`, /bad +Failed +0\/1 /);
    assert.match(
      await kubectl.ok`describe job bad`,
      /Warning +BackoffLimitExceeded +\S+ +job-controller +Job has reached the specified backoff limit/,
    );
  });

  it('fails at once where a rule says so', async () => {
    const rule = { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } };
    await create('picky', { backoffLimit: 6, podFailurePolicy: { rules: [rule] }, template: template('exit 42') });
    await kubectl.ok`wait --for=condition=failed job/picky --timeout=60s`;
    const [{ reason, message }] = (await status('picky')).conditions.filter(({ type }: any) => type === 'Failed');
    assert.equal(reason, 'PodFailurePolicy');
    assert.match(
      message,
      /^Container main for pod jobs\/picky-\w+ failed with exit code 42 matching FailJob rule at index 0$/,
    );
  });

  it('works through a queue until a worker has found it empty', async () => {
    await create('queue', { parallelism: 3, template: template('sleep 1', 'OnFailure') });
    await kubectl.ok`wait --for=condition=complete job/queue --timeout=60s`;
    assert.match(await kubectl.ok`get job queue`, /queue +Complete +3\/1 of 3 /);
  });

  it('gives each pod of an indexed job its index', async () => {
    await create('indexed', {
      completions: 3,
      parallelism: 3,
      completionMode: 'Indexed',
      backoffLimitPerIndex: 0,
      template: template('sleep 1'),
    });
    await kubectl.ok`wait --for=condition=complete job/indexed --timeout=60s`;
    assert.equal((await status('indexed')).completedIndexes, '0-2');
    const pods = (await kubectl.json`get pods --selector=job-name=indexed`).items;
    assert.deepEqual(
      pods
        .map(({ metadata, spec }: any) => [
          metadata.annotations['batch.kubernetes.io/job-completion-index'],
          metadata.labels['batch.kubernetes.io/job-completion-index'],
          spec.hostname,
          spec.containers[0].env[0].name,
        ])
        .sort(),
      [0, 1, 2].map((index) => [`${index}`, `${index}`, `indexed-${index}`, 'JOB_COMPLETION_INDEX']),
    );
  });

  it('suspends a job and lets it go on', async () => {
    await create('held', { suspend: true, parallelism: 2, completions: 2, template: template('sleep 1') });
    await eventually(async () => /held +Suspended +0\/2/.test(await kubectl.ok`get job held`), 'a suspended job');
    assert.equal(await kubectl.ok`get pods --selector=job-name=held -o name`, '');
    await kubectl.ok`patch job held -p ${JSON.stringify({ spec: { suspend: false } })}`;
    await kubectl.ok`wait --for=condition=complete job/held --timeout=60s`;
    const events = (await kubectl.ok`events --for=job/held`).match(/Suspended|Resumed|Completed/g);
    assert.deepEqual(events?.sort(), ['Completed', 'Resumed', 'Suspended']);
  });

  it('removes a job after its time to live', async () => {
    await create('brief', { ttlSecondsAfterFinished: 1, template: template('true') });
    await kubectl.ok`wait --for=delete job/brief --timeout=60s`;
  });

  it('makes a job of a cron job by hand', async () => {
    await kubectl.ok`create cronjob nightly --image=busybox ${'--schedule=0 3 * * *'} -- sh -c ${'echo tidied; sleep 1'}`;
    assert.deepEqual(rows(await kubectl.ok`get cronjob nightly`)[1], [
      'nightly',
      '0 3 * * *',
      '<none>',
      'False',
      '0',
      '<none>',
      'AGE',
    ]);
    await kubectl.ok`create job now --from=cronjob/nightly`;
    await kubectl.ok`wait --for=${'jsonpath={.status.succeeded}=1'} job/now --timeout=60s`;
    assert.equal(await kubectl.ok`logs job/now`, 'tidied\n');
    assert.equal(
      await kubectl.ok`get job now -o jsonpath={.metadata.ownerReferences[0].kind}/{.metadata.ownerReferences[0].name}`,
      'CronJob/nightly',
    );
    await kubectl.ok`delete cronjob nightly`;
    await kubectl.ok`wait --for=delete job/now --timeout=60s`;
  });
});
