import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient, type Answer } from '../fixtures/api-client.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { freePorts } from '../fixtures/free-ports.ts';
import { TcpProxy } from '../fixtures/tcp-proxy.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/** The checks of a stock server after those of the process itself, in its order. */
const stockChecks = [
  'poststarthook/start-apiserver-admission-initializer', 'poststarthook/generic-apiserver-start-informers', 'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter', 'poststarthook/storage-object-count-tracker-hook', 'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers', 'poststarthook/crd-informer-synced', 'poststarthook/start-system-namespaces-controller',
  'poststarthook/peer-endpoint-reconciler-controller', 'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller', 'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
  'poststarthook/storage-readiness', 'poststarthook/start-legacy-token-tracking-controller', 'poststarthook/start-service-ip-repair-controllers',
  'poststarthook/rbac/bootstrap-roles', 'poststarthook/scheduling/bootstrap-system-priority-classes', 'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller', 'poststarthook/start-kubernetes-service-cidr-controller', 'poststarthook/start-kube-aggregator-informers',
  'poststarthook/apiservice-status-local-available-controller', 'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-registration-controller', 'poststarthook/apiservice-wait-for-first-sync', 'poststarthook/apiservice-discovery-controller',
  'poststarthook/kube-apiserver-autoregistration', 'autoregister-completion', 'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];

/** The pages that load balancers, kubelets and people ask. */
describe('health pages', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  it('name what a start does, as a stock server names it', async () => {
    const { status, body } = await server.client.get('/readyz?verbose');
    assert.equal(status, 200);
    const lines = body.toString().split('\n');
    const names = lines.flatMap((line) => /^\[\+\](.*) ok$/.exec(line)?.[1] ?? []);
    const hooks = names.filter((name) => stockChecks.includes(name));
    assert.deepEqual(hooks, stockChecks.filter((name) => hooks.includes(name)), 'in the order of a stock server');
    for (const step of ['rbac/bootstrap-roles', 'start-kube-apiserver-identity-lease-controller', 'start-legacy-token-tracking-controller', 'storage-readiness', 'bootstrap-controller']) {
      assert.ok(hooks.includes(`poststarthook/${step}`), step);
    }
    assert.deepEqual(names.filter((name) => !hooks.includes(name)), ['ping', 'etcd', 'store-writable', 'informer-sync', 'shutdown']);
    assert.deepEqual(lines.slice(names.length), ['readyz check passed', '']);
  });

  it('answer for one check by its path, which / lists', async () => {
    const { paths } = (await server.client.get('/')).json;
    for (const path of ['/healthz/etcd', '/livez/poststarthook/rbac/bootstrap-roles', '/readyz/shutdown']) {
      assert.ok(paths.includes(path), path);
      const { status, body } = await server.client.get(path);
      assert.deepEqual([status, body.toString()], [200, 'ok'], path);
    }
    for (const path of ['/livez/shutdown', '/healthz/', '/healthz/etcd/', '/readyz/poststarthook']) assert.equal((await server.client.get(path)).status, 404, path);
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
    const starting = startTestServer({ etcd: `http://127.0.0.1:${proxy.port}`, dir, args: [`--token-auth-file=${tokens}`, `--secure-port=${port}`] }).finally(() => { isStarted = true; });
    try {
      let first: Answer | undefined;
      while (first === undefined && !isStarted) first = await client.get('/readyz/poststarthook/rbac/bootstrap-roles').catch(() => undefined);
      assert.equal(isStarted, false, 'the first answer came before the start was over');
      assert.deepEqual([first?.status, first?.body.toString()], [500, 'internal server error: not finished\n']);
    } finally {
      client.close();
      await starting.then((server) => server.stop()).finally(async () => {
        await proxy.stop();
        await etcd.stop();
        rmSync(dir, { recursive: true, force: true });
      });
    }
  });
});
