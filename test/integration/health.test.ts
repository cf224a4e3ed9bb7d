import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient, type Answer } from '../fixtures/api-client.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { freePorts } from '../fixtures/free-ports.ts';
import { TcpProxy } from '../fixtures/tcp-proxy.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

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
    assert.deepEqual(body.toString().split('\n'), [
      '[+]ping ok', '[+]etcd ok', '[+]store-writable ok', '[+]informer-sync ok', '[+]poststarthook/bootstrap-controller ok', '[+]poststarthook/rbac/bootstrap-roles ok',
      '[+]poststarthook/scheduling/bootstrap-system-priority-classes ok', '[+]poststarthook/start-cluster-authentication-info-controller ok', '[+]poststarthook/apiservice-registration-controller ok', '[+]shutdown ok', 'readyz check passed', '',
    ]);
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
