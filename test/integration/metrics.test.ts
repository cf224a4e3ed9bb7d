import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { answerJson } from '../../pkg/net/https-service-testing.ts';
import { linesOf, sampleOf } from '../../pkg/telemetry/metrics/request-testing.ts';
import { differencesFromStock } from '../fixtures/stock-metrics.ts';
import { startWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts';
import { configMap, onEachStore } from './on-each-store.ts';

/** What an operator scrapes, as a whole server counts it. */
onEachStore('metrics', ['--authorization-mode=Node,RBAC'], (suite) => {
  const scrape = async (): Promise<string> => (await suite.client.get('/metrics')).body.toString();

  it('are what promtool takes without a word', async function () {
    const promtool = path.resolve(import.meta.dirname, '../../.tools/bin/promtool');
    // Not everywhere: hack/install-tools.sh has it from Debian.
    if (!existsSync(promtool)) this.skip();
    await suite.client.get('/readyz');
    for (const page of ['/metrics', '/metrics/slis']) {
      const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], {
        input: (await suite.client.get(page)).body,
      });
      assert.deepEqual([status, stdout.toString(), stderr.toString()], [0, '', ''], page);
    }
  });

  it('are those of a stock server, by name, type and labels, but for those that docs/metrics.md lists', async () => {
    await suite.client.get('/apis/apps/v1/deployments');
    assert.deepEqual(differencesFromStock(await scrape(), 'apiServer'), []);
  });

  it('tell how large the store is, once per server of it', async () => {
    const [line, ...others] = linesOf(await scrape(), 'etcd_db_total_size_in_bytes');
    assert.deepEqual(others, []);
    assert.ok(line!.startsWith(`etcd_db_total_size_in_bytes{endpoint="${suite.etcd ?? 'embedded'}"} `), line);
    const bytes = Number(line!.split(' ')[1]);
    assert.ok(bytes > 4096 && bytes < 2 ** 30, line);
  });

  it('come compressed where the scraper takes that, and are not reset', async () => {
    const { headers, body } = await suite.client.get('/metrics', {
      'accept-encoding': 'gzip',
      accept: 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5',
    });
    assert.deepEqual(
      [headers['content-encoding'], headers['content-type']],
      ['gzip', 'text/plain; version=0.0.4; charset=utf-8'],
    );
    assert.match(gunzipSync(body).toString(), /^# HELP /);
    assert.ok(sampleOf(await scrape(), 'apiserver_request_total', { verb: 'GET', subresource: '/metrics' })! > 0);
    assert.deepEqual(
      [(await suite.client.send('HEAD', '/metrics')).status, (await suite.client.delete('/metrics')).status],
      [200, 405],
    );
  });

  it('count cluster IPs', async () => {
    const service = { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } };
    const before = await scrape();
    assert.equal((await suite.client.post('/api/v1/namespaces/default/services', service)).status, 201);
    const after = await scrape();
    const grown = (name: string, labels = {}): number =>
      (sampleOf(after, name, labels) ?? 0) - (sampleOf(before, name, labels) ?? 0);
    const family = 'kube_apiserver_clusterip_allocator';
    assert.equal(grown(`${family}_allocated_ips`), 1);
    assert.equal(grown(`${family}_available_ips`), -1);
    assert.equal(grown(`${family}_allocation_total`, { scope: 'dynamic' }), 1);
  });

  it('time the filters of each request that passes them, and none that does not', async () => {
    const before = await scrape();
    await suite.client.get('/api/v1/nodes', { authorization: 'Bearer made-up' });
    const after = await scrape();
    const grown = (filter: string): number => {
      const [then, now] = [before, after].map((text) =>
        sampleOf(text, 'apiserver_request_filter_duration_seconds_count', { filter })!,
      );
      return now! - then!;
    };
    // Each scrape counts itself before it reads; the unauthenticated client is refused.
    assert.deepEqual(['authentication', 'audit', 'impersonation', 'authorization'].map(grown), [1, 1, 1, 1]);
  });

  it('count what reads, watches, writes and calls to the store did', async () => {
    const before = await scrape();
    assert.equal((await suite.client.post('/api/v1/namespaces/default/configmaps', configMap('measured'))).status, 201);
    await suite.client.get('/api/v1/namespaces/default/configmaps');
    const watch = await suite.client.get(
      '/api/v1/configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1',
    );
    assert.match(watch.body.toString(), /initial-events-end/);
    const after = await scrape();
    const grown = (name: string, labels: Record<string, string>): number =>
      (sampleOf(after, name, labels) ?? 0) - (sampleOf(before, name, labels) ?? 0);
    const resource = { group: '', resource: 'configmaps' };
    for (const [name, labels] of [
      ['apiserver_resource_objects', resource],
      ['apiserver_watch_cache_events_received_total', resource],
      ['apiserver_request_body_size_bytes_count', { ...resource, verb: 'create' }],
      ['apiserver_watch_list_duration_seconds_count', { ...resource, scope: 'cluster' }],
    ] as const)
      assert.equal(grown(name, labels), 1, name);
    for (const [name, labels] of [
      ['apiserver_watch_cache_read_wait_seconds_count', resource],
      ['apiserver_watch_cache_consistent_read_total', { ...resource, fallback: 'false' }],
      ['authorization_attempts_total', { result: 'allowed' }],
      ['authorization_duration_seconds_count', { result: 'allowed' }],
      ['apiserver_request_sli_duration_seconds_count', { verb: 'POST', resource: 'configmaps' }],
      ['etcd_requests_total', { operation: 'create', ...resource }],
    ] as const)
      assert.ok(grown(name, labels) >= 1, name);
    assert.ok(
      sampleOf(after, 'apiserver_watch_cache_resource_version', resource)! >
        sampleOf(before, 'apiserver_watch_cache_resource_version', resource)!,
    );
    const call = { grpc_service: 'etcdserverpb.KV', grpc_method: 'Txn', grpc_type: 'unary' };
    for (const name of ['started_total', 'msg_sent_total', 'msg_received_total', 'handled_total'])
      assert.equal(grown(`grpc_client_${name}`, call) >= 1, suite.etcd !== undefined, name);
  });

  describe('of webhooks', () => {
    let hook: WebhookServer;
    before(async () => {
      hook = await startWebhookServer();
    });
    after(() => hook.close());

    it('leave the time of webhooks out where the name says so', async () => {
      const where = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
      const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
      const webhooks = ['a', 'b'].map((name) => ({
        name: `${name}.example.com`,
        clientConfig: hook.clientConfig(`/${name}`),
        rules,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      }));
      assert.equal((await suite.client.post(where, { metadata: { name: 'slow' }, webhooks })).status, 201);
      hook.misbehave(
        (response, { uid }) =>
          void setTimeout(
            () =>
              answerJson(response, {
                kind: 'AdmissionReview',
                apiVersion: 'admission.k8s.io/v1',
                response: { uid, allowed: true },
              }),
            400,
          ),
      );
      assert.equal((await suite.client.post('/api/v1/namespaces/default/configmaps', configMap('slow'))).status, 201);
      await suite.client.delete(`${where}/slow`);
      const body = await scrape();
      const labels = { verb: 'POST', resource: 'configmaps' };
      const [whole, own] = ['duration', 'slo_duration'].map((name) =>
        sampleOf(body, `apiserver_request_${name}_seconds_sum`, labels)!,
      );
      assert.ok(whole! >= 0.4, `${whole} s in all`);
      assert.ok(own! <= whole! - 0.4 && own! >= 0, `${own} s of ${whole} s`);
    });
  });
});
