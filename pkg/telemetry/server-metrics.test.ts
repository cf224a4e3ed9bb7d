import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ResourceRegistry } from '../api/resource-registry.ts';
import type { AdmissionRequest } from '../admission/admission.ts';
import { FakeClock } from '../apimachinery/clock-testing.ts';
import { newAllocationCounts } from '../registry/allocators/allocator.ts';
import { ByteBudget } from '../storage/cacher/byte-budget.ts';
import { Cacher } from '../storage/cacher/cacher.ts';
import type { CachedResource } from '../storage/cacher/resource-cache.ts';
import { ObservedStore } from '../storage/observed-store.ts';
import type { Store } from '../storage/store.ts';
import { WorkQueue } from '../client/workqueue/work-queue.ts';
import { contextOf, linesOf, sampleOf, sampleResources } from './metrics/request-testing.ts';
import { ServerMetrics, type MeasuredServer, type ServerMetricsOptions } from './server-metrics.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const admin = { name: 'admin', groups: [] };
const admission = {
  operation: 'CREATE',
  subresource: '',
  definition: { group: '', resource: 'pods' },
} as AdmissionRequest;

/** Names that stock servers have too, with type and labels as dashboards expect them. */
const shared: Record<string, [type: string, ...labels: string[]]> = {
  apiserver_admission_controller_admission_duration_seconds: ['histogram', 'name', 'operation', 'rejected', 'type'],
  apiserver_admission_step_admission_duration_seconds: ['histogram', 'operation', 'rejected', 'type'],
  apiserver_request_total: [
    'counter',
    'code',
    'component',
    'dry_run',
    'group',
    'resource',
    'scope',
    'subresource',
    'system_client',
    'verb',
    'version',
  ],
  apiserver_request_duration_seconds: [
    'histogram',
    'component',
    'dry_run',
    'group',
    'resource',
    'scope',
    'subresource',
    'verb',
    'version',
  ],
  apiserver_request_filter_duration_seconds: ['histogram', 'filter'],
  apiserver_tls_handshake_errors_total: ['counter'],
  apiserver_request_slo_duration_seconds: [
    'histogram',
    'component',
    'group',
    'resource',
    'scope',
    'subresource',
    'verb',
    'version',
  ],
  apiserver_response_sizes: ['histogram', 'component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'],
  apiserver_current_inflight_requests: ['gauge', 'request_kind'],
  apiserver_longrunning_requests: [
    'gauge',
    'component',
    'group',
    'resource',
    'scope',
    'subresource',
    'verb',
    'version',
  ],
  apiserver_request_terminations_total: [
    'counter',
    'code',
    'component',
    'group',
    'resource',
    'scope',
    'subresource',
    'verb',
    'version',
  ],
  apiserver_envelope_encryption_dek_cache_fill_percent: ['gauge'],
  apiserver_storage_data_key_generation_duration_seconds: ['histogram'],
  apiserver_storage_data_key_generation_failures_total: ['counter'],
  apiserver_storage_envelope_transformation_cache_misses_total: ['counter'],
  apiserver_requested_deprecated_apis: ['gauge', 'group', 'removed_release', 'resource', 'subresource', 'version'],
  apiserver_storage_objects: ['gauge', 'resource'],
  apiserver_watch_cache_events_dispatched_total: ['counter', 'group', 'resource'],
  apiserver_watch_cache_initializations_total: ['counter', 'group', 'resource'],
  apiserver_init_events_total: ['counter', 'group', 'resource'],
  apiserver_watch_events_sizes: ['histogram', 'group', 'kind', 'resource', 'version'],
  apiserver_watch_events_total: ['counter', 'group', 'kind', 'resource', 'version'],
  apiserver_cache_list_fetched_objects_total: ['counter', 'group', 'index', 'resource', 'resource_prefix'],
  apiserver_cache_list_returned_objects_total: ['counter', 'group', 'resource', 'resource_prefix'],
  apiserver_cache_list_total: ['counter', 'group', 'index', 'resource', 'resource_prefix'],
  apiserver_storage_list_evaluated_objects_total: ['counter', 'group', 'resource'],
  apiserver_storage_list_fetched_objects_total: ['counter', 'group', 'resource'],
  apiserver_storage_list_returned_objects_total: ['counter', 'group', 'resource'],
  apiserver_storage_list_total: ['counter', 'group', 'resource'],
  apiserver_webhooks_x509_insecure_sha1_total: ['counter'],
  apiserver_webhooks_x509_missing_san_total: ['counter'],
  authenticated_user_requests: ['untyped', 'username'],
  authentication_attempts: ['untyped', 'result'],
  authentication_duration_seconds: ['histogram', 'result'],
  authentication_token_cache_active_fetch_count: ['untyped', 'status'],
  authentication_token_cache_fetch_total: ['counter', 'status'],
  authentication_token_cache_request_duration_seconds: ['histogram', 'status'],
  authentication_token_cache_request_total: ['counter', 'status'],
  etcd_db_total_size_in_bytes: ['gauge', 'endpoint'],
  etcd_lease_object_counts: ['histogram'],
  etcd_request_duration_seconds: ['histogram', 'group', 'operation', 'resource', 'type'],
  field_validation_request_duration_seconds: ['histogram', 'enabled', 'field_validation'],
  kubernetes_build_info: [
    'gauge',
    'build_date',
    'compiler',
    'git_commit',
    'git_tree_state',
    'git_version',
    'go_version',
    'major',
    'minor',
    'platform',
  ],
  pod_security_evaluations_total: [
    'counter',
    'decision',
    'mode',
    'policy_level',
    'policy_version',
    'request_operation',
    'resource',
    'subresource',
  ],
  pod_security_exemptions_total: ['counter', 'request_operation', 'resource', 'subresource'],
  serviceaccount_legacy_tokens_total: ['counter'],
  serviceaccount_stale_tokens_total: ['counter'],
  serviceaccount_valid_tokens_total: ['counter'],
  watch_cache_capacity: ['gauge', 'group', 'resource'],
  leader_election_master_status: ['gauge', 'name'],
  workqueue_adds_total: ['counter', 'name'],
  workqueue_depth: ['gauge', 'name'],
  workqueue_longest_running_processor_seconds: ['gauge', 'name'],
  workqueue_queue_duration_seconds: ['histogram', 'name'],
  workqueue_retries_total: ['counter', 'name'],
  workqueue_unfinished_work_seconds: ['gauge', 'name'],
  workqueue_work_duration_seconds: ['histogram', 'name'],
};

describe('ServerMetrics', () => {
  let metrics: ServerMetrics;

  function make(options: Partial<ServerMetricsOptions> = {}): ServerMetrics {
    metrics?.close();
    metrics = new ServerMetrics({
      registry: new ResourceRegistry(sampleResources),
      storeCountPollMs: 60_000,
      ...options,
    });
    return metrics;
  }

  function request(
    method: string,
    url: string,
    status = 200,
    more: { headers?: Record<string, string>; seconds?: number; bytes?: number } = {},
  ): void {
    const context = contextOf(method, url, more.headers);
    metrics.started(context);
    context.status = status;
    context.responseBytes = more.bytes ?? 100;
    context.user = admin;
    metrics.finished(context, more.seconds ?? 0.001);
  }

  const text = async (): Promise<string> => (await metrics.text()).body;

  beforeEach(() => make());
  after(() => metrics.close());

  it('counts weak certificates of webhooks for its own server, whatever calls them', async () => {
    const other = new ServerMetrics({ registry: new ResourceRegistry(sampleResources), storeCountPollMs: 60_000 });
    const { auditObserver, authenticationObserver, authorizationObserver, admissionObserver } = make();
    for (const observer of [auditObserver, authenticationObserver, authorizationObserver, admissionObserver])
      observer.webhookCertificates.missingSan++;
    const name = 'apiserver_webhooks_x509_missing_san_total';
    assert.equal(sampleOf((await metrics.text()).body, name, {}), 4);
    assert.equal(sampleOf((await other.text()).body, name, {}), 0);
    other.close();
  });

  it('has names, types and labels of a stock server', async () => {
    const measured = cacher();
    measured.cache('pods').stats.delivered(2000, 3);
    metrics.attach(
      measuredServer({ stores: { cachers: [measured] }, storeSizes: async () => [{ endpoint: 'a', bytes: 1 }] }),
    );
    request('POST', '/apis/apps/v1beta1/namespaces/a/deployments', 429);
    request('GET', '/api/v1/namespaces/a/pods/b');
    request('GET', '/api/v1/pods?watch=1');
    metrics.storeObserver.observe('get', 'pods', 0.1);
    metrics.authenticationObserver.attempted('success', 0.001, admin);
    metrics.authenticationObserver.tokenCache.asked('hit', 0.001);
    metrics.admissionObserver.ofPlugin('A', 'admit')('CREATE', false, 0.001);
    metrics.admissionObserver.ofRound('admit')('CREATE', false, 0.001);
    metrics.admissionObserver.podEvaluated(admission, 'enforce', { level: 'baseline', version: 'latest' }, true);
    metrics.admissionObserver.podExempted(admission);
    metrics.electionMetrics.leading('manager', true);
    new WorkQueue({ name: 'pods', metrics: metrics.queueMetrics }).add('a/b');
    const body = await text();
    for (const [name, [type, ...labels]] of Object.entries(shared)) {
      assert.ok(body.includes(`# TYPE ${name} ${type}\n`), name);
      const [line] = linesOf(body, type === 'histogram' ? `${name}_count` : name);
      assert.ok(line !== undefined, `${name} has a sample`);
      assert.deepEqual([...line.matchAll(/[{,](\w+)="/g)].map((m) => m[1]).sort(), labels, name);
    }
  });

  it('counts and times the keys of queues', async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ name: 'replicaset', clock, metrics: metrics.queueMetrics });
    for (const key of ['a', 'b', 'c', 'c']) queue.add(key);
    await clock.advance(2000);
    queue.done((await queue.get())!);
    await queue.get();
    queue.addRateLimited('a');
    await clock.advance(3000);
    const body = await text();
    const valueOf = (name: string): number | undefined => sampleOf(body, `workqueue_${name}`, { name: 'replicaset' });
    assert.deepEqual(
      ['depth', 'adds_total', 'retries_total', 'unfinished_work_seconds', 'longest_running_processor_seconds'].map(
        valueOf,
      ),
      [2, 4, 1, 3, 3],
    );
    assert.deepEqual([valueOf('queue_duration_seconds_sum'), valueOf('work_duration_seconds_count')], [4, 1]);
  });

  it('counts requests by verb, resource and status', async () => {
    request('GET', '/api/v1/namespaces/a/pods/b');
    request('GET', '/api/v1/namespaces/c/pods/d');
    request('GET', '/api/v1/namespaces/a/pods/gone', 404);
    request('PATCH', '/api/v1/namespaces/a/pods/b/status', 200, {
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    const body = await text();
    assert.equal(
      sampleOf(body, 'apiserver_request_total', {
        verb: 'GET',
        code: '200',
        resource: 'pods',
        version: 'v1',
        group: '',
        scope: 'resource',
        component: 'apiserver',
      }),
      2,
    );
    assert.equal(sampleOf(body, 'apiserver_request_total', { verb: 'GET', code: '404' }), 1);
    assert.equal(sampleOf(body, 'apiserver_request_total', { verb: 'APPLY', code: '200', subresource: 'status' }), 1);
  });

  it('times requests and sizes reads', async () => {
    request('GET', '/api/v1/pods', 200, { seconds: 0.03, bytes: 5000 });
    request('POST', '/api/v1/namespaces/a/pods', 201, { seconds: 2.5 });
    const body = await text();
    const list = { verb: 'LIST', resource: 'pods', scope: 'cluster' };
    assert.equal(sampleOf(body, 'apiserver_request_duration_seconds_bucket', { ...list, le: '0.025' }), 0);
    assert.equal(sampleOf(body, 'apiserver_request_duration_seconds_bucket', { ...list, le: '0.05' }), 1);
    assert.equal(sampleOf(body, 'apiserver_request_duration_seconds_bucket', { ...list, le: '+Inf' }), 1);
    assert.equal(sampleOf(body, 'apiserver_request_duration_seconds_sum', { verb: 'POST' }), 2.5);
    assert.equal(sampleOf(body, 'apiserver_request_slo_duration_seconds_count', list), 1);
    assert.equal(sampleOf(body, 'apiserver_response_sizes_bucket', { ...list, le: '1000' }), 0);
    assert.equal(sampleOf(body, 'apiserver_response_sizes_bucket', { ...list, le: '10000' }), 1);
    assert.equal(sampleOf(body, 'apiserver_response_sizes_count', { verb: 'POST' }), undefined);
  });

  it('keeps dry runs, field validation and system clients separate', async () => {
    request('POST', '/api/v1/namespaces/a/pods?dryRun=All&fieldValidation=Strict', 201);
    request('POST', '/api/v1/namespaces/a/pods?dryRun=perhaps&fieldValidation=maybe', 400);
    request('POST', '/api/v1/namespaces/a/pods', 201, {
      headers: { 'user-agent': 'kube-scheduler/v1.25.0 (linux/amd64)' },
    });
    request('POST', '/api/v1/namespaces/a/pods', 201, { headers: { 'user-agent': 'kube-somebody/v1' } });
    const body = await text();
    assert.equal(sampleOf(body, 'apiserver_request_total', { dry_run: 'All', code: '201' }), 1);
    assert.equal(sampleOf(body, 'apiserver_request_total', { dry_run: 'invalid' }), 1);
    assert.equal(sampleOf(body, 'apiserver_request_total', { system_client: 'kube-scheduler' }), 1);
    assert.equal(sampleOf(body, 'apiserver_request_total', { system_client: '', dry_run: '' }), 1);
    assert.equal(
      sampleOf(body, 'field_validation_request_duration_seconds_count', {
        field_validation: 'Strict',
        enabled: 'true',
      }),
      1,
    );
    assert.equal(sampleOf(body, 'field_validation_request_duration_seconds_count', { field_validation: 'invalid' }), 1);
    assert.equal(sampleOf(body, 'field_validation_request_duration_seconds_count', { field_validation: '' }), 2);
  });

  it('adds no series for texts of clients', async () => {
    request('GET', '/api/v1/unknown');
    request('GET', '/nowhere');
    request('BREW', '/nowhere');
    const before = (await text()).split('\n').length;
    for (let i = 0; i < 500; i++) {
      request('GET', `/api/v1/kind${i}`, 404);
      metrics.authenticationObserver.attempted('success', 0.001, { name: `user${i}`, groups: [] });
      request('GET', `/apis/group${i}/v1/things`, 404);
      request('GET', `/api/v1/namespaces/a/pods/b/sub${i}`, 404);
      request('GET', `/path${i}/x`, 404);
      request(`VERB${i}`, '/api/v1/pods', 405);
      request('GET', '/api/v1/namespaces/a/pods%2Fstatus', 404);
    }
    request('GET', '/api/v1/namespaces/a/pods/%5F%5Fproto%5F%5F');
    const body = await text();
    assert.doesNotMatch(body, /user\d|kind\d|group\d|sub\d|path\d|VERB|pods\/status/);
    // Statuses 404 and 405, the verb other on pods, and one real endpoint.
    assert.ok(body.split('\n').length < before + 200, `${body.split('\n').length} lines after ${before}`);
  });

  it('does not take a segment with a slash for a known subresource', async () => {
    request('PUT', '/api/v1/namespaces/a/pods/b/status');
    request('PUT', '/apis/apps/v1%2Fdeployments/x/y', 404);
    request('PUT', '/apis/apps/v1/namespaces/a/deployments%2F/x', 404);
    const body = await text();
    assert.equal(
      sampleOf(body, 'apiserver_request_total', { verb: 'PUT', resource: 'pods', subresource: 'status' }),
      1,
    );
    assert.equal(sampleOf(body, 'apiserver_request_total', { verb: 'PUT', resource: '', code: '404' }), 2);
  });

  it('shows requests in flight', async () => {
    const read = contextOf('GET', '/api/v1/pods');
    const write = contextOf('DELETE', '/api/v1/namespaces/a/pods/b');
    const watch = contextOf('GET', '/api/v1/namespaces/a/pods?watch=true');
    for (const context of [read, write, watch]) metrics.started(context);
    const during = await text();
    assert.equal(sampleOf(during, 'apiserver_current_inflight_requests', { request_kind: 'readOnly' }), 1);
    assert.equal(sampleOf(during, 'apiserver_current_inflight_requests', { request_kind: 'mutating' }), 1);
    assert.equal(
      sampleOf(during, 'apiserver_longrunning_requests', { verb: 'WATCH', resource: 'pods', scope: 'namespace' }),
      1,
    );
    for (const context of [read, write, watch]) metrics.finished(context, 1);
    const afterwards = await text();
    assert.equal(sampleOf(afterwards, 'apiserver_longrunning_requests', { verb: 'WATCH' }), 0);
  });

  it('leaves out the time of webhooks where the name says so', async () => {
    const context = contextOf('POST', '/api/v1/namespaces/a/pods');
    metrics.started(context);
    context.waitedForWebhook(300);
    context.waitedForWebhook(600);
    metrics.finished(context, 1);
    const body = await text();
    assert.equal(sampleOf(body, 'apiserver_request_duration_seconds_sum', { verb: 'POST' }), 1);
    assert.ok(Math.abs(sampleOf(body, 'apiserver_request_slo_duration_seconds_sum', { verb: 'POST' })! - 0.1) < 1e-9);
  });

  it('times filters, and counts failed handshakes', async () => {
    metrics.filterPassed('authorization', 0.0002);
    metrics.handshakeFailed();
    const body = await text();
    assert.equal(
      sampleOf(body, 'apiserver_request_filter_duration_seconds_bucket', { filter: 'authorization', le: '0.0001' }),
      0,
    );
    assert.equal(
      sampleOf(body, 'apiserver_request_filter_duration_seconds_bucket', { filter: 'authorization', le: '0.0003' }),
      1,
    );
    assert.equal(sampleOf(body, 'apiserver_request_filter_duration_seconds_count', { filter: 'audit' }), 0);
    assert.equal(sampleOf(body, 'apiserver_tls_handshake_errors_total'), 1);
  });

  it('counts rejections of overload, but neither evictions nor bodies that are too large', async () => {
    request('POST', '/api/v1/namespaces/a/pods', 504);
    request('POST', '/api/v1/namespaces/a/pods', 413);
    request('POST', '/api/v1/namespaces/a/pods/b/eviction', 429);
    request('GET', '/api/v1/pods', 500);
    const lines = linesOf(await text(), 'apiserver_request_terminations_total');
    assert.equal(lines.length, 1);
    assert.match(lines[0]!, /code="504".* 1$/);
  });

  it('names deprecated versions once, with the release that removes them', async () => {
    request('GET', '/apis/apps/v1beta1/deployments');
    request('POST', '/apis/apps/v1beta1/namespaces/a/deployments', 201);
    request('GET', '/apis/apps/v1/deployments');
    assert.deepEqual(linesOf(await text(), 'apiserver_requested_deprecated_apis'), [
      'apiserver_requested_deprecated_apis{group="apps",removed_release="1.16",resource="deployments",subresource="",version="v1beta1"} 1',
    ]);
  });

  it('groups user names', async () => {
    for (const name of ['admin', 'jo@example.com', 'system:serviceaccount:a:b', 'zoe']) {
      metrics.authenticationObserver.attempted('success', 0.001, { name, groups: [] });
    }
    metrics.authenticationObserver.attempted('failure', 0.001, undefined);
    metrics.authenticationObserver.attempted('error', 0.001, undefined);
    const body = await text();
    assert.equal(sampleOf(body, 'authenticated_user_requests', { username: 'admin' }), 1);
    assert.equal(sampleOf(body, 'authenticated_user_requests', { username: 'email_id' }), 1);
    assert.equal(sampleOf(body, 'authenticated_user_requests', { username: 'other' }), 2);
    assert.equal(sampleOf(body, 'authentication_attempts', { result: 'success' }), 4);
    assert.equal(sampleOf(body, 'authentication_attempts', { result: 'failure' }), 1);
    assert.equal(sampleOf(body, 'authentication_attempts', { result: 'error' }), 1);
    assert.equal(sampleOf(body, 'authentication_duration_seconds_count', { result: 'success' }), 4);
  });

  it('shows how long the certificates of clients are still valid', async () => {
    for (const seconds of [1800, 3601, 400 * 24 * 3600]) metrics.authenticationObserver.clientCertificateUsed(seconds);
    const body = await text();
    for (const [le, count] of [
      ['1800', 1],
      ['3600', 1],
      ['7200', 2],
      ['31104000', 2],
      ['+Inf', 3],
    ] as const)
      assert.equal(sampleOf(body, 'apiserver_client_certificate_expiration_seconds_bucket', { le }), count, le);
  });

  it('counts the use of tokens and of their cache', async () => {
    const { authenticationObserver: observer } = metrics;
    observer.serviceAccountTokenUsed('legacy');
    observer.serviceAccountTokenUsed('stale');
    observer.tokenCache.asked('miss', 0.001);
    observer.tokenCache.fetching('in_flight', 1);
    observer.tokenCache.fetched('error');
    const body = await text();
    assert.equal(sampleOf(body, 'serviceaccount_legacy_tokens_total', {}), 1);
    assert.equal(sampleOf(body, 'serviceaccount_stale_tokens_total', {}), 1);
    assert.equal(sampleOf(body, 'serviceaccount_valid_tokens_total', {}), 0);
    assert.equal(sampleOf(body, 'authentication_token_cache_request_total', { status: 'miss' }), 1);
    assert.equal(sampleOf(body, 'authentication_token_cache_active_fetch_count', { status: 'in_flight' }), 1);
    assert.equal(sampleOf(body, 'authentication_token_cache_fetch_total', { status: 'error' }), 1);
  });

  it('times changes of the graph of nodes', async () => {
    metrics.authorizationObserver.graphChanged('AddPod', 0.0003);
    const body = await text();
    assert.equal(sampleOf(body, 'node_authorizer_graph_actions_duration_seconds_count', { operation: 'AddPod' }), 1);
    assert.equal(
      sampleOf(body, 'node_authorizer_graph_actions_duration_seconds_bucket', { operation: 'AddPod', le: '0.0004' }),
      1,
    );
  });

  it('times store calls by operation and resource', async () => {
    const store = new ObservedStore(
      { get: async () => undefined, range: async () => Promise.reject(new Error('away')) } as unknown as Store,
      metrics.storeObserver,
    );
    await store.get('pods/a/b');
    await store.get('services/specs/a/b');
    await store.get('elsewhere/x');
    await assert.rejects(store.range('deployments/a/'));
    const body = await text();
    const types = linesOf(body, 'etcd_request_duration_seconds_count').map((line) =>
      /operation="(\w+)",type="([^"]*)"/.exec(line)!.slice(1).join(' '),
    );
    assert.deepEqual(types, ['get pods', 'get services', 'get ', 'list deployments.apps']);
  });

  it('reads cacher, pools and watches when scraped', async () => {
    assert.deepEqual(linesOf(await text(), 'apiserver_storage_objects'), []);
    const counts = { patchInline: 3, patchPool: 2, codecPool: 1 };
    const measured = cacher();
    metrics.attach(measuredServer({ stores: { cachers: [measured] }, pools: { counts }, watches: { size: 7 } }));
    const { stats } = measured.cache('services');
    stats.delivered(1500, 2);
    Object.assign(stats.cacheLists, { lists: 2, fetched: 30, returned: 20 });
    stats.storeLists.evaluated = 4;
    counts.patchInline = 4;
    const body = await text();
    assert.deepEqual(linesOf(body, 'apiserver_storage_objects'), [
      'apiserver_storage_objects{resource="pods"} 0',
      'apiserver_storage_objects{resource="deployments.apps"} 0',
      'apiserver_storage_objects{resource="services"} 0',
    ]);
    assert.equal(sampleOf(body, 'watch_cache_capacity', { resource: 'pods' }), 50);
    assert.equal(
      sampleOf(body, 'apiserver_watch_events_total', { group: 'apps', kind: 'Deployment', version: 'v1' }),
      0,
    );
    assert.equal(sampleOf(body, 'apiserver_watch_events_total', { kind: 'Service', version: 'v1' }), 2);
    assert.equal(sampleOf(body, 'apiserver_watch_events_sizes_bucket', { kind: 'Service', le: '1024' }), 0);
    assert.equal(sampleOf(body, 'apiserver_watch_events_sizes_bucket', { kind: 'Service', le: '2048' }), 2);
    assert.equal(sampleOf(body, 'apiserver_watch_events_sizes_sum', { kind: 'Service' }), 3000);
    assert.equal(sampleOf(body, 'apiserver_cache_list_total', { resource_prefix: '/services/specs', index: '' }), 2);
    assert.equal(
      sampleOf(body, 'apiserver_cache_list_returned_objects_total', { resource_prefix: '/services/specs' }),
      20,
    );
    assert.equal(sampleOf(body, 'apiserver_storage_list_evaluated_objects_total', { resource: 'services' }), 4);
    assert.equal(sampleOf(body, 'binnacle_cacher_budget_limit_bytes'), 1000);
    assert.equal(sampleOf(body, 'binnacle_cacher_ready'), 0);
    assert.equal(sampleOf(body, 'binnacle_open_watches'), 7);
    assert.equal(sampleOf(body, 'binnacle_pool_tasks_total', { pool: 'patch', place: 'inline' }), 4);
    assert.equal(sampleOf(body, 'binnacle_pool_tasks_total', { pool: 'codec', place: 'thread' }), 1);
  });

  it('leaves out object counts where the poll is off', async () => {
    make({ storeCountPollMs: 0 });
    metrics.attach(measuredServer({ stores: { cachers: [cacher()] } }));
    assert.doesNotMatch(await text(), /apiserver_storage_objects/);
  });

  it('counts the keys that share a lease', async () => {
    metrics.storeObserver.leaseReplaced!(120);
    const body = await text();
    assert.equal(sampleOf(body, 'etcd_lease_object_counts_bucket', { le: '100' }), 0);
    assert.equal(sampleOf(body, 'etcd_lease_object_counts_bucket', { le: '500' }), 1);
  });

  it('shows the rest while the size of the store is unknown', async () => {
    metrics.attach(measuredServer({ storeSizes: () => Promise.reject(new Error('away')) }));
    const body = await text();
    assert.deepEqual(linesOf(body, 'etcd_db_total_size_in_bytes'), []);
    assert.ok(sampleOf(body, 'process_resident_memory_bytes')! > 0);
  });

  it('measures the delay of the main loop', async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const started = performance.now();
    while (performance.now() - started < 250);
    await new Promise((resolve) => setTimeout(resolve, 150));
    const body = await text();
    const late =
      sampleOf(body, 'binnacle_event_loop_delay_seconds_count')! -
      sampleOf(body, 'binnacle_event_loop_delay_seconds_bucket', { le: '0.05' })!;
    assert.ok(late >= 1, 'the long turn was seen');
  });

  it('are not kept once they are closed', async () => {
    const closed = closedMetrics();
    for (let round = 0; closed.deref() !== undefined && round < 50; round++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      collect();
    }
    assert.equal(closed.deref(), undefined);
  });

  /** Apart from the test, whose frame would keep them. */
  function closedMetrics(): WeakRef<ServerMetrics> {
    const other = new ServerMetrics({ registry: new ResourceRegistry(sampleResources), storeCountPollMs: 60_000 });
    other.close();
    return new WeakRef(other);
  }

  it('writes text that parses line by line', async () => {
    request('GET', '/api/v1/pods');
    const { contentType, body } = await metrics.text();
    assert.equal(contentType, 'text/plain; version=0.0.4; charset=utf-8');
    for (const line of body.trimEnd().split('\n')) {
      assert.match(
        line,
        /^(# (HELP|TYPE) [a-z0-9_:]+ .+|[a-z_:][a-z0-9_:]*(\{([a-z_]+="[^"\n]*",?)*\})? (-?[\d.]+(e[+-]?\d+)?|Nan|\+Inf))$/i,
      );
    }
  });
});

function measuredServer(parts: Partial<MeasuredServer>): MeasuredServer {
  return {
    stores: { cachers: [] },
    pools: { counts: { patchInline: 0, patchPool: 0, codecPool: 0 } },
    watches: { size: 0 },
    storeSizes: async () => [],
    clusterIps: () => [],
    nodePorts: { range: { size: 0 }, takenCount: 0, counts: newAllocationCounts() },
    ...parts,
  };
}

function cacher(): Cacher {
  const format = { decode: () => ({ metadata: { name: 'x' } }) as never, labels: () => undefined, field: () => '' };
  const resources = [
    ['pods', 'pods'],
    ['deployments.apps', 'deployments'],
    ['services', 'services/specs'],
  ].map(([name, storagePath]): CachedResource => ({
    name: name!,
    storagePath: storagePath!,
    namespaced: true,
    format,
    ringSize: 50,
  }));
  return new Cacher({ store: {} as Store, resources, budget: new ByteBudget(1000) });
}
