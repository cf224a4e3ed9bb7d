import assert from 'node:assert/strict';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { FaultyFront } from '../fixtures/faulty-front.ts';
import { freePorts } from '../fixtures/free-ports.ts';
import { startProgramProcess, type ProgramProcess } from '../fixtures/manager-process.ts';
import { until } from '../fixtures/until.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PODS = '/api/v1/namespaces/default/pods';

/** The built program on a way to its server that fails in one thing. */
describe('binnacle controller-manager behind a failing server', function () {
  this.timeout(120_000);
  let server: BinnacleProcess;
  let client: ApiClient;
  let front: FaultyFront;
  let manager: ProgramProcess | undefined;
  let made = 0;

  before(async () => {
    server = await startBinnacle();
    client = new ApiClient(server.url, server.token);
  });
  after(async () => {
    client.close();
    await server.stop();
  });
  beforeEach(async () => (front = await FaultyFront.start(server.url)));
  afterEach(async () => {
    const started = manager;
    manager = undefined;
    const status = await started?.stop();
    await front.stop();
    if (started !== undefined) assert.equal(status, 0, started.output);
  });

  const start = async (...args: string[]): Promise<void> => {
    const connection = [`--kubeconfig=${server.kubeconfig}`, `--master=${front.url}`, '--cluster-api-qps=200'];
    const ports = ['--secure-port=0', '--port=0'];
    manager = await startProgramProcess(['controller-manager', ...connection, ...ports, ...args], '"msg":"leading"');
  };
  const deploy = async (replicas: number): Promise<string> => {
    const name = `web-${made++}`;
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const answer = await client.post(DEPLOYMENTS, {
      metadata: { name },
      spec: { replicas, selector: { matchLabels: labels }, template },
    });
    assert.equal(answer.status, 201, String(answer.body));
    return name;
  };
  const podsOf = async (app: string): Promise<number> =>
    (await client.get(`${PODS}?labelSelector=app%3D${app}`)).json.items.length;
  const untilPods = (app: string, count: number): Promise<void> =>
    until(async () => (await podsOf(app)) === count, `${count} pods of ${app}`);

  for (const [what, fault] of [
    ['are answered with 500', { status: 500 }],
    ['are forbidden', { status: 403 }],
    ['hang', 'hang'],
  ] as const) {
    it(`runs the other controllers while jobs ${what}${fault === 'hang' ? '' : ', and this one once they are there'}`, async () => {
      front.faultOf = ({ path }) => (/\/(cron)?jobs$/.test(path) ? fault : undefined);
      await start();
      const job = `job-${made++}`;
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
      assert.equal(
        (await client.post('/apis/batch/v1/namespaces/default/jobs', { metadata: { name: job }, spec: { template } }))
          .status,
        201,
      );
      await untilPods(await deploy(2), 2);
      const podsOfJob = async (): Promise<number> =>
        (await client.get(`${PODS}?labelSelector=job-name%3D${job}`)).json.items.length;
      assert.equal(await podsOfJob(), 0);
      front.faultOf = () => undefined;
      // Calls that hang end after more than a minute.
      if (fault === 'hang') return;
      await until(async () => (await podsOfJob()) === 1, 'the pod of the job');
    });
  }

  it('runs the other controllers while one throws at its start, which health and log name', async () => {
    const [port] = await freePorts(1);
    await start(`--port=${port}`, '--allocate-node-cidrs', '--cluster-cidr=10.0.0.0/26');
    await untilPods(await deploy(2), 2);
    const health = async (page: string): Promise<{ status: number; text: string }> => {
      const answer = await fetch(`http://127.0.0.1:${port}/${page}`);
      return { status: answer.status, text: await answer.text() };
    };
    await until(async () => (await health('healthz?exclude=node-ipam-controller')).status === 200, 'all others work');
    const { status, text } = await health('healthz?verbose');
    assert.equal(status, 500);
    const lines = text.split('\n').filter((line) => /^\[.\]/.test(line));
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('[+]')),
      ['[-]node-ipam-controller failed: reason withheld'],
    );
    assert.ok(lines.length > 30, text);
    assert.deepEqual(
      await Promise.all(
        ['healthz/node-ipam-controller', 'healthz/deployment-controller', 'readyz', 'livez'].map(
          async (page) => (await health(page)).status,
        ),
      ),
      [500, 200, 500, 200],
      'a probe that restarts the manager reads livez',
    );
    assert.match(manager!.output, /node-ipam-controller.*10\.0\.0\.0\/26 cannot be divided into ranges of \/24/);
  });

  it('writes later what was answered with 429', async () => {
    let refused = 0;
    front.faultOf = ({ method, path }) =>
      method === 'POST' && path === PODS && refused++ < 5
        ? { status: 429, headers: { 'retry-after': '1' } }
        : undefined;
    await start();
    const app = await deploy(4);
    await untilPods(app, 4);
    assert.ok(refused >= 5, `${refused} refused`);
  });

  it('creates nothing twice where answers are lost', async () => {
    let lost = 0;
    front.faultOf = ({ method, path }) =>
      method === 'POST' && path === PODS && lost++ % 2 === 0 ? 'lose the answer' : undefined;
    const watch = client.watch(`${PODS}?watch=1`);
    await start();
    const app = await deploy(6);
    await untilPods(app, 6);
    await until(
      async () => (await client.get(`${DEPLOYMENTS}/${app}`)).json.status?.replicas === 6,
      'the status says so',
    );
    const created = watch.events.filter(({ type, object }) => type === 'ADDED' && object.metadata.labels?.app === app);
    watch.close();
    assert.equal(created.length, 6);
    assert.ok(lost >= 3, `${lost} requests`);
  });

  it('goes on where it was when its connections break, and lists nothing again', async () => {
    await start();
    const app = await deploy(2);
    await untilPods(app, 2);
    const lists = (): number =>
      front.requests.filter(({ path, query }) => path === '/api/v1/pods' && !query.has('watch')).length;
    const before = lists();
    for (let i = 0; i < 3; i++) {
      front.breakConnections();
      await client.patch(`${DEPLOYMENTS}/${app}`, 'merge', { spec: { replicas: 3 + i } });
      await untilPods(app, 3 + i);
    }
    assert.equal(lists(), before);
  });
});
