import assert from 'node:assert/strict';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { startProgramProcess, type ProgramProcess } from '../fixtures/manager-process.ts';
import { ProgramClock } from '../fixtures/program-clock.ts';
import { until } from '../fixtures/until.ts';

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';
const NODE_LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const BATCH = '/apis/batch/v1/namespaces/default';
const PODS = '/api/v1/namespaces/default/pods';
/** At 200 ms each these take longer than a lease of three seconds. */
const RENEWALS = 18;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };

/** The built program on a host whose wall clock is set by an hour while it works. */
describe('binnacle controller-manager while its wall clock jumps', function () {
  this.timeout(120_000);
  let server: BinnacleProcess;
  let client: ApiClient;
  /** Of the programs that are started next. */
  let clock: ProgramClock;
  let clocks: ProgramClock[];
  let programs: ProgramProcess[];
  let made = 0;

  before(async () => {
    server = await startBinnacle();
    client = new ApiClient(server.url, server.token);
  });
  after(async () => {
    client.close();
    await server.stop();
  });
  beforeEach(() => {
    [clocks, programs] = [[], []];
    addClock();
  });
  afterEach(async () => {
    for (const program of programs) assert.equal(await program.stop(), 0, program.output);
    for (const one of clocks) one.remove();
  });

  const addClock = (): void => void clocks.push((clock = new ProgramClock()));
  const start = async (ready: string, ...args: string[]): Promise<ProgramProcess> => {
    const election = ['lease-duration=3s', 'renew-deadline=2s', 'retry-period=200ms'];
    const program = await startProgramProcess(
      [
        'controller-manager',
        `--kubeconfig=${server.kubeconfig}`,
        '--cluster-api-qps=200',
        '--secure-port=0',
        '--port=0',
        ...election.map((option) => `--leader-elect-${option}`),
        ...args,
      ],
      ready,
      clock.options,
    );
    programs.push(program);
    return program;
  };
  const startLeader = (...args: string[]): Promise<ProgramProcess> => start('"msg":"leading"', ...args);
  const post = async (path: string, body: object): Promise<any> => {
    const answer = await client.post(path, body);
    assert.equal(answer.status, 201, String(answer.body));
    return answer.json;
  };
  const get = async (path: string): Promise<any> => (await client.get(path)).json;
  const patch = async (path: string, body: object): Promise<void> => {
    const answer = await client.patch(path, 'merge', body);
    assert.equal(answer.status, 200, String(answer.body));
  };
  /** Has the manager look at an object by the clock that it has now, and at what is created after that. */
  const touch = async (path: string): Promise<void> => {
    await patch(path, { metadata: { labels: { touched: `${made++}` } } });
    const name = `marker-${made++}`;
    await post(`${BATCH}/jobs`, { metadata: { name }, spec: { template } });
    await until(async () => (await podsOf(name)).length === 1, `the pod of ${name}`);
  };
  const podsOf = async (job: string): Promise<any[]> => (await get(`${PODS}?labelSelector=job-name%3D${job}`)).items;
  const addJob = async (spec: object): Promise<string> => {
    const name = `job-${made++}`;
    await post(`${BATCH}/jobs`, { metadata: { name }, spec: { template, ...spec } });
    await until(async () => (await podsOf(name)).length === 1, `the pod of ${name}`);
    await until(async () => (await get(`${BATCH}/jobs/${name}`)).status.active === 1, `the status of ${name}`);
    return name;
  };
  const succeed = async (job: string): Promise<void> => {
    const [{ metadata }] = (await podsOf(job)) as [{ metadata: { name: string } }];
    await patch(`${PODS}/${metadata.name}/status`, { status: { phase: 'Succeeded' } });
  };
  const conditionOf = async (job: string): Promise<string | undefined> =>
    (await get(`${BATCH}/jobs/${job}`)).status.conditions?.find(
      ({ type }: { type: string }) => type === 'Complete' || type === 'Failed',
    )?.reason;

  it('leads on, and another does not take over, whichever of both is set', async () => {
    const first = await startLeader();
    const { holderIdentity, acquireTime } = (await get(LEASE)).spec;
    const ofFirst = clock;
    addClock();
    const second = await start('"msg":"the leader is"');
    for (const offsetMs of [HOUR_MS, -HOUR_MS]) {
      ofFirst.set(offsetMs);
      clock.set(-offsetMs);
      const seen = new Set<string>();
      // More than the duration of a lease.
      await until(async () => {
        const { spec } = await get(LEASE);
        assert.deepEqual(
          [spec.holderIdentity, spec.leaseTransitions, spec.acquireTime],
          [holderIdentity, 0, acquireTime],
        );
        seen.add(spec.renewTime);
        return seen.size > RENEWALS;
      }, 'many renewals');
      const isSet = Math.abs(Date.parse([...seen].at(-1)!) - Date.now() - offsetMs) < HOUR_MS / 2;
      assert.ok(isSet, 'the clock of the leader is set');
    }
    assert.deepEqual([first.status, second.status], [null, null]);
    assert.doesNotMatch(first.output, /not leading|leader election lost/);
  });

  it('runs a cron job once for each time', async () => {
    await startLeader();
    const name = `cron-${made++}`;
    const cronJob = `${BATCH}/cronjobs/${name}`;
    await post(`${BATCH}/cronjobs`, {
      metadata: { name },
      spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } },
    });
    const watch = client.watch(`${BATCH}/jobs?watch=1`);
    /** The job of each time, in the order in which they were created. */
    const runs = (): { readonly job: string; readonly time: string }[] =>
      watch.events
        .filter(({ type, object }) => type === 'ADDED' && object.metadata.ownerReferences?.[0]?.name === name)
        .map(({ object: { metadata } }) => ({ job: metadata.name, time: metadata.annotations[SCHEDULED] }));
    const times = (): string[] => runs().map(({ time }) => time);
    const isAhead = (time: string): boolean => Date.parse(time) > Date.now() + HOUR_MS / 2;
    try {
      clock.set(HOUR_MS);
      await touch(cronJob);
      await until(() => times().some(isAhead), 'the run of the last time that has come');
      const { job, time: last } = runs().find(({ time }) => isAhead(time))!;
      assert.ok(Date.now() + HOUR_MS - Date.parse(last) < 5 * MINUTE_MS, last);
      await until(async () => (await get(cronJob)).status.lastScheduleTime >= last, 'the status');
      // A job that is gone leaves its time behind.
      await client.delete(`${BATCH}/jobs/${job}?propagationPolicy=Background`);
      const before = times().filter((time) => !isAhead(time));
      clock.set(-HOUR_MS);
      await touch(cronJob);
      clock.set(0);
      await touch(cronJob);
      assert.deepEqual(
        times().filter((time) => !isAhead(time)),
        before,
        'no time before the last one runs',
      );
      clock.set(HOUR_MS);
      await touch(cronJob);
      assert.equal(new Set(times()).size, times().length, `${times().join()}`);
    } finally {
      watch.close();
      await client.delete(cronJob);
    }
  });

  it('ends jobs by their deadlines, and keeps and deletes finished ones, by the clock that it has', async () => {
    await startLeader();
    const limited = await addJob({ activeDeadlineSeconds: HOUR_MS / 2000 });
    const finished = await addJob({ ttlSecondsAfterFinished: HOUR_MS / 2000 });
    await succeed(finished);
    await until(async () => (await conditionOf(finished)) === 'CompletionsReached', 'the end of the job');
    clock.set(-HOUR_MS);
    await touch(`${BATCH}/jobs/${limited}`);
    await touch(`${BATCH}/jobs/${finished}`);
    assert.equal(await conditionOf(limited), undefined);
    assert.equal((await client.get(`${BATCH}/jobs/${finished}`)).status, 200);
    clock.set(HOUR_MS);
    await touch(`${BATCH}/jobs/${limited}`);
    await touch(`${BATCH}/jobs/${finished}`);
    await until(async () => (await conditionOf(limited)) === 'DeadlineExceeded', 'the deadline');
    await until(
      async () => (await client.get(`${BATCH}/jobs/${finished}`)).status === 404,
      'the end of the time of a finished job',
    );
  });

  it('completes jobs that began before the clock was set back', async () => {
    await startLeader();
    const job = await addJob({});
    clock.set(-HOUR_MS);
    await succeed(job);
    await until(async () => (await conditionOf(job)) === 'CompletionsReached', 'the end of the job');
    const { startTime, completionTime, succeeded } = (await get(`${BATCH}/jobs/${job}`)).status;
    assert.deepEqual([completionTime, succeeded], [startTime, 1]);
  });

  it('deletes namespaces in a few seconds', async () => {
    await startLeader();
    for (const offsetMs of [-HOUR_MS, HOUR_MS]) {
      clock.set(offsetMs);
      const name = `gone-${made++}`;
      await post('/api/v1/namespaces', { metadata: { name } });
      await client.delete(`/api/v1/namespaces/${name}`);
      await until(async () => (await client.get(`/api/v1/namespaces/${name}`)).status === 404, `the end of ${name}`);
    }
  });

  it('takes no node for lost that renews its lease', async () => {
    await startLeader('--node-monitor-period=200ms', '--node-monitor-grace-period=4s');
    const name = `node-${made++}`;
    const now = (): string => new Date().toISOString();
    await post('/api/v1/nodes', { metadata: { name } });
    const time = now().replace(/\.\d+/, '');
    const ready = { type: 'Ready', status: 'True', reason: 'Test', lastHeartbeatTime: time, lastTransitionTime: time };
    await patch(`/api/v1/nodes/${name}/status`, { status: { conditions: [ready] } });
    const spec = { holderIdentity: name, leaseDurationSeconds: 40 };
    await post(NODE_LEASES, { metadata: { name }, spec: { ...spec, renewTime: now().replace('Z', '000Z') } });
    let renewals = 0;
    const renewFor = async (count: number): Promise<void> => {
      for (const last = renewals + count; renewals < last; renewals++) {
        await patch(`${NODE_LEASES}/${name}`, { spec: { renewTime: now().replace('Z', '000Z') } });
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const isWell = async (): Promise<boolean> => {
      const node = await get(`/api/v1/nodes/${name}`);
      return node.spec.taints === undefined && node.status.conditions[0].status === 'True';
    };
    await until(async () => {
      await renewFor(1);
      return isWell();
    }, 'a node without the taint of new ones');
    for (const offsetMs of [HOUR_MS, -HOUR_MS, 0]) {
      clock.set(offsetMs);
      await renewFor(10);
      assert.ok(await isWell(), `off by ${offsetMs} ms`);
    }
    await client.delete(`/api/v1/nodes/${name}`);
  });
});
