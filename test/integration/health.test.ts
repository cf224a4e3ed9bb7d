import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient, type Answer } from '../fixtures/api-client.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { freePorts } from '../fixtures/free-ports.ts';
import { TcpProxy } from '../fixtures/tcp-proxy.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/**
 * The checks of a stock server of release 1.36 that there is something for, in its order: all but those of its own
 * connection to itself, of custom resources and of other servers behind it.
 */
const liveChecks = [
  'ping',
  'log',
  'etcd',
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
  'poststarthook/storage-readiness',
  'poststarthook/start-legacy-token-tracking-controller',
  'poststarthook/start-service-ip-repair-controllers',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller',
  'poststarthook/start-kubernetes-service-cidr-controller',
  'poststarthook/apiservice-status-local-available-controller',
  'poststarthook/apiservice-registration-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'autoregister-completion',
];

/** The pages that load balancers, kubelets and people ask. */
describe('health pages', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  const checksOf = async (page: string, { client }: TestServer = server): Promise<string[]> => {
    const { status, body } = await client.get(`/${page}?verbose`);
    assert.equal(status, 200);
    const lines = body.toString().split('\n');
    const names = lines.flatMap((line) => /^\[\+\](.*) ok$/.exec(line)?.[1] ?? []);
    assert.deepEqual(lines.slice(names.length), [`${page} check passed`, '']);
    return names;
  };

  it('have all checks of a stock server that there is something for, in its order', async () => {
    for (const page of ['livez', 'healthz']) assert.deepEqual(await checksOf(page), liveChecks);
    assert.deepEqual(await checksOf('readyz'), [
      ...liveChecks.slice(0, 3),
      'store-writable',
      'informer-sync',
      ...liveChecks.slice(3),
      'shutdown',
    ]);
  });

  it('name the limits that the server has', async () => {
    const other = await startTestServer({ args: ['--enable-priority-and-fairness=false'] });
    try {
      const fair = 'poststarthook/priority-and-fairness-';
      assert.deepEqual(
        await checksOf('livez', other),
        liveChecks.flatMap((name) =>
          name === `${fair}config-consumer`
            ? []
            : name === `${fair}filter`
              ? ['poststarthook/max-in-flight-filter']
              : [name],
        ),
      );
    } finally {
      await other.stop();
    }
  });

  it('answer for one check by its path, which / lists', async () => {
    const { paths } = (await server.client.get('/')).json;
    for (const path of ['/healthz/etcd', '/livez/poststarthook/rbac/bootstrap-roles', '/readyz/shutdown']) {
      assert.ok(paths.includes(path), path);
      const { status, body } = await server.client.get(path);
      assert.deepEqual([status, body.toString()], [200, 'ok'], path);
    }
    for (const path of ['/livez/shutdown', '/healthz/', '/healthz/etcd/', '/readyz/poststarthook'])
      assert.equal((await server.client.get(path)).status, 404, path);
  });
});

describe('status pages', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      args: [
        '--emulated-version=kube=1.34',
        '--cors-allowed-origins=http://me:hunter2@one.example,b',
        '--feature-gates=APIListChunking=true',
      ],
    });
  });
  after(() => server.stop());

  it('say which release the server is and emulates', async () => {
    const { json } = await server.client.get('/version');
    const { gitVersion, ...release } = json;
    assert.match(gitVersion, /^v1\.36\.\d+\+binnacle-/);
    assert.deepEqual(Object.keys(json).slice(0, 7), [
      'major',
      'minor',
      'emulationMajor',
      'emulationMinor',
      'minCompatibilityMajor',
      'minCompatibilityMinor',
      'gitVersion',
    ]);
    assert.deepEqual(
      [
        release.major,
        release.minor,
        release.emulationMajor,
        release.emulationMinor,
        release.minCompatibilityMajor,
        release.minCompatibilityMinor,
      ],
      ['1', '36', '1', '34', '1', '33'],
    );
    assert.match(
      (await server.client.get('/metrics')).body.toString(),
      /^version_info\{binary="1\.36",component="kube",emulation="1\.34",min_compat="1\.33"\} 1$/m,
    );
  });

  it('say since when it runs, as text and as an object', async () => {
    const text = await server.client.get('/statusz');
    assert.deepEqual([text.status, text.headers['content-type']], [200, 'text/plain; charset=utf-8']);
    assert.match(
      text.body.toString(),
      /^\nkube-apiserver statusz\nWarning: .*\n\nStarted: \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}\nUp: 0 hr \d\d min \d\d sec\nGo version: node.*\nBinary version: 1\.36\.0\nEmulation version: 1\.34\nPaths: \/\.well-known \/api \/apis .*\/version\n$/,
    );
    const { status, json } = await server.client.send('GET', '/statusz', {
      headers: { accept: 'application/json;g=config.k8s.io;v=v1beta1;as=Statusz' },
    });
    assert.deepEqual(
      [status, json.kind, json.apiVersion, json.metadata, json.binaryVersion, json.emulationVersion],
      [200, 'Statusz', 'config.k8s.io/v1beta1', { name: 'kube-apiserver' }, '1.36.0', '1.34'],
    );
    assert.ok(json.uptimeSeconds >= 0 && Date.parse(json.startTime) <= Date.now() && json.paths.includes('/readyz'));
    const refused = await server.client.send('GET', '/statusz', { headers: { accept: 'application/json' } });
    assert.deepEqual([refused.status, refused.json.reason], [406, 'NotAcceptable']);
    assert.equal((await server.client.send('POST', '/statusz')).status, 405);
  });

  it('show the options, and no secrets', async () => {
    const text = (await server.client.get('/flagz')).body.toString();
    assert.match(text, /^\nkube-apiserver flags\nWarning: /);
    for (const line of [
      'emulated-version=[kube=1.34]',
      'secure-port=0',
      'profiling=true',
      'cors-allowed-origins=[http://[redacted]@one.example,b]',
    ])
      assert.ok(text.split('\n').includes(line), line);
    assert.doesNotMatch(text, /hunter2/);
    const { json } = await server.client.send('GET', '/flagz', {
      headers: { accept: 'application/json;g=config.k8s.io;v=v1alpha1;as=Flagz' },
    });
    assert.deepEqual(
      [json.kind, json.apiVersion, json.flags['emulated-version']],
      ['Flagz', 'config.k8s.io/v1alpha1', '[kube=1.34]'],
    );
    assert.doesNotMatch(JSON.stringify(json), /hunter2/);
  });

  it('count what the health pages found', async () => {
    for (let i = 0; i < 2; i++) await server.client.get('/readyz?exclude=shutdown');
    await server.client.get('/livez/etcd');
    const { status, headers, body } = await server.client.get('/metrics/slis');
    assert.deepEqual([status, headers['content-type']], [200, 'text/plain; version=0.0.4; charset=utf-8']);
    const lines = body.toString().split('\n');
    for (const line of [
      'kubernetes_healthcheck{name="etcd",type="readyz"} 1',
      'kubernetes_healthchecks_total{name="ping",status="success",type="readyz"} 2',
      '# TYPE kubernetes_healthcheck gauge',
    ])
      assert.ok(lines.includes(line), line);
    assert.doesNotMatch(body.toString(), /"shutdown"|"livez"/);
  });

  it('are listed by /', async () => {
    const { paths } = (await server.client.get('/')).json;
    for (const path of ['/flagz', '/metrics/slis', '/statusz', '/openapi/v3/']) assert.ok(paths.includes(path), path);
  });
});

describe('health pages of a server that starts', function () {
  this.timeout(60_000);

  it('answer at once, and say what is not finished', async () => {
    const etcd = await EtcdServer.start();
    const proxy = await TcpProxy.start(Number(new URL(etcd.url).port));
    // Default roles and all else that a start writes then take it seconds.
    proxy.delayAnswers(50);
    const [port] = await freePorts(1);
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-health-'));
    const tokens = path.join(dir, 'tokens.csv');
    writeFileSync(tokens, 'early,alice,1,system:masters\n');
    const client = new ApiClient(`https://127.0.0.1:${port}`, 'early');
    let isStarted = false;
    const starting = startTestServer({
      etcd: `http://127.0.0.1:${proxy.port}`,
      dir,
      args: [`--token-auth-file=${tokens}`, `--secure-port=${port}`],
    }).finally(() => {
      isStarted = true;
    });
    try {
      let first: Answer | undefined;
      while (first === undefined && !isStarted)
        first = await client.get('/readyz/poststarthook/rbac/bootstrap-roles').catch(() => undefined);
      assert.equal(isStarted, false, 'the first answer came before the start was over');
      assert.deepEqual([first?.status, first?.body.toString()], [500, 'internal server error: not finished\n']);
    } finally {
      client.close();
      await starting
        .then((server) => server.stop())
        .finally(async () => {
          await proxy.stop();
          await etcd.stop();
          rmSync(dir, { recursive: true, force: true });
        });
    }
  });
});
