/** Calls of this process as requests: what they answer, and that every filter and handler sees them. */
import { deepFreeze } from '../../../pkg/apimachinery/json/deep-freeze.ts';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UserInfo } from '../../../pkg/api/resource-definition.ts';
import { resourceToken } from '../../../pkg/api/resource.ts';
import { StatusError } from '../../../pkg/apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../../pkg/apimachinery/meta/object.ts';
import type { Client, WatchEvent } from '../../../pkg/client/rest/client.ts';
import { describeClient } from '../../../pkg/client/rest/client-contract.ts';
import { DiscoveryClient } from '../../../pkg/client/discovery/discovery-client.ts';
import { metadataOf } from '../../../pkg/client/rest/partial-metadata.ts';
import { describeWrites } from '../../../pkg/client/testing/write-contract.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

type Fields = ApiObject & Record<string, any>;

const configMaps = resourceToken<Fields>('v1', 'configmaps', 'ConfigMap', true);
const namespaces = resourceToken<Fields>('v1', 'namespaces', 'Namespace', false);
const pods = resourceToken<Fields>('v1', 'pods', 'Pod', true);
const serviceAccounts = resourceToken<Fields>('v1', 'serviceaccounts', 'ServiceAccount', true);
const limitRanges = resourceToken<Fields>('v1', 'limitranges', 'LimitRange', true);
const quotas = resourceToken<Fields>('v1', 'resourcequotas', 'ResourceQuota', true);
const deployments = resourceToken<Fields>('apps/v1', 'deployments', 'Deployment', true);
const cronJobs = resourceToken<Fields>('batch/v1', 'cronjobs', 'CronJob', true);
const autoscalersV1 = resourceToken<Fields>(
  'autoscaling/v1',
  'horizontalpodautoscalers',
  'HorizontalPodAutoscaler',
  true,
);
const revisions = resourceToken<Fields>('apps/v1', 'controllerrevisions', 'ControllerRevision', true);

const admin: UserInfo = { name: 'admin', uid: 'admin', groups: ['system:masters'] };
const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'RequestResponse', namespaces: ['audited-local', 'audited-https'] }, { level: 'None' }],
};

function configMap(namespace: string, name: string, data: Record<string, string> = {}): Fields {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data };
}

function pod(namespace: string, name: string): Fields {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };
}

async function refusal(call: Promise<unknown>): Promise<StatusError['status']> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof StatusError, String(error));
    return error.status;
  }
  assert.fail('the call was not refused');
}

async function take(watch: AsyncIterable<WatchEvent<Fields>>, count: number): Promise<WatchEvent<Fields>[]> {
  const events: WatchEvent<Fields>[] = [];
  for await (const event of watch) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

describeClient('in-process', async () => {
  const server = await startTestServer();
  return {
    clientOf: ({ name, groups = [] }) => server.running.server.localClient({ name, groups }, { onAnswer: deepFreeze }),
    stop: () => server.stop(),
  };
});

describeWrites('in-process', async () => {
  const server = await startTestServer();
  return { client: server.running.server.localClient(admin, { onAnswer: deepFreeze }), stop: () => server.stop() };
});

describe('the client of this process', function () {
  this.timeout(60_000);
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-local-'));
  const auditLog = path.join(dir, 'audit.log');
  const warnings: string[] = [];
  let server: TestServer;
  let client: Client;
  let count = 0;

  const clientOf = (user: UserInfo): Client =>
    server.running.server.localClient(user, { onAnswer: deepFreeze, onWarning: (text) => warnings.push(text) });

  async function namespace(name = `ns-${++count}`): Promise<string> {
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as Fields);
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: name, name: 'default' } };
    await client.create(serviceAccounts, account as Fields);
    return name;
  }

  before(async () => {
    writeFileSync(path.join(dir, 'policy.yaml'), JSON.stringify(POLICY));
    server = await startTestServer({
      args: [
        `--audit-policy-file=${path.join(dir, 'policy.yaml')}`,
        `--audit-log-path=${auditLog}`,
        '--audit-log-mode=blocking',
        '--authorization-mode=RBAC',
        '--enable-admission-plugins=ServiceAccount',
      ],
    });
    client = clientOf(admin);
  });

  after(async () => {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
    assert.deepEqual(server.errors, []);
  });

  it('creates, reads, updates, patches and deletes', async () => {
    const ns = await namespace();
    const sent = configMap(ns, 'a', { k: '1' });
    deepFreeze(sent);
    const created = await client.create(configMaps, sent);
    assert.equal(created.kind, 'ConfigMap');
    assert.ok(created.metadata.uid);
    const read = await client.get(configMaps, { namespace: ns, name: 'a' });
    assert.deepEqual(read, created);
    const updated = await client.update(configMaps, { ...read, data: { k: '2' } });
    assert.equal(updated['data'].k, '2');
    assert.equal((await refusal(client.update(configMaps, { ...read, data: { k: '3' } }))).reason, 'Conflict');
    const name = { namespace: ns, name: 'a' };
    const patch = { data: { l: '3', gone: undefined } };
    deepFreeze(patch);
    assert.deepEqual((await client.patch(configMaps, name, 'merge', patch))['data'], { k: '2', l: '3' });
    const operations = [{ op: 'remove', path: '/data/k' }];
    assert.deepEqual((await client.patch(configMaps, name, 'json', operations))['data'], { l: '3' });
    assert.deepEqual((await client.patch(configMaps, name, 'strategic', { data: { l: null } }))['data'], undefined);
    await client.delete(configMaps, name);
    assert.deepEqual(await refusal(client.get(configMaps, name)), {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "a" not found',
      reason: 'NotFound',
      details: { name: 'a', kind: 'configmaps' },
      code: 404,
    });
  });

  it('answers as the server answers over HTTPS, in every version', async () => {
    const ns = await namespace();
    const scale = { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 };
    const template = { spec: { containers: [{ name: 'c', image: 'i' }] } };
    const job = { template: { spec: { ...template.spec, restartPolicy: 'Never' } } };
    const objects: [typeof configMaps, string, Fields][] = [
      [autoscalersV1, 'apis/autoscaling/v1', { metadata: {}, spec: { ...scale, targetCPUUtilizationPercentage: 50 } }],
      [cronJobs, 'apis/batch/v1', { metadata: {}, spec: { schedule: '@daily', jobTemplate: { spec: job } } }],
      [revisions, 'apis/apps/v1', { metadata: {}, revision: 1, data: { any: [1, { x: 'y' }] } }],
      [pods, 'api/v1', pod(ns, 'x')],
    ];
    for (const [token, root, object] of objects) {
      const sent = { ...object, metadata: { namespace: ns, name: 'x' } };
      deepFreeze(sent);
      const created = await client.create(token, sent);
      const url = `/${root}/namespaces/${ns}/${token.resource}`;
      const answer = await server.client.get(`${url}/x`);
      assert.deepEqual(JSON.parse(JSON.stringify(created)), answer.json);
      const { items } = await client.list(token, { namespace: ns });
      assert.deepEqual(JSON.parse(JSON.stringify(items)), [answer.json]);
    }
  });

  it('keeps nothing of what is passed, and warns of unknown fields', async () => {
    const ns = await namespace();
    const data = { list: [{ a: 1 }] };
    const sent: Fields = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { namespace: ns, name: 'r', labels: { a: 'b' } },
      revision: 1,
      data,
      bogus: true,
    };
    warnings.length = 0;
    await client.create(revisions, sent);
    assert.deepEqual(warnings, ['unknown field "bogus"']);
    data.list[0]!.a = 2;
    sent.metadata.labels!['a'] = 'c';
    const read = await client.get(revisions, { namespace: ns, name: 'r' });
    assert.deepEqual(read['data'], { list: [{ a: 1 }] });
    assert.deepEqual(read.metadata.labels, { a: 'b' });
    assert.equal(read['bogus'], undefined);
  });

  it('hands out the objects of the cache, without a copy and without JSON', async () => {
    const ns = await namespace();
    await client.create(configMaps, configMap(ns, 'shared', { v: 'x'.repeat(1000) }));
    const { cache } = server.running.server.storeOf('configmaps');
    const cached = cache.get(`configmaps/${ns}/shared`)!.object();
    const stringify = JSON.stringify;
    let encoded = 0;
    JSON.stringify = ((...args: Parameters<typeof stringify>) => {
      if (stringify(...args)?.includes('shared')) encoded++;
      return stringify(...args);
    }) as typeof stringify;
    try {
      for (let i = 0; i < 10_000; i++)
        assert.equal(await client.get(configMaps, { namespace: ns, name: 'shared' }), cached);
      const { items } = await client.list(configMaps, { namespace: ns });
      assert.ok(items.includes(cached as Fields));
      const [event] = await take(client.watch(configMaps, { namespace: ns }), 1);
      assert.equal((event as { object: unknown }).object, cached);
      const created = await client.create(configMaps, configMap(ns, 'shared-too'));
      assert.equal(created, cache.get(`configmaps/${ns}/shared-too`)!.object());
    } finally {
      JSON.stringify = stringify;
    }
    assert.equal(encoded, 0);
    assert.throws(() => ((cached as Fields)['data'].v = 'changed'), TypeError);
  });

  it('lists in chunks, by selectors, and at versions', async () => {
    const ns = await namespace();
    for (let i = 0; i < 5; i++)
      await client.create(configMaps, {
        ...configMap(ns, `m-${i}`),
        metadata: { namespace: ns, name: `m-${i}`, labels: { n: `${i % 2}` } },
      });
    const first = await client.list(configMaps, { namespace: ns, limit: 2 });
    const rest = await client.list(configMaps, { namespace: ns, limit: 10, continue: first.continue! });
    assert.equal(first.items.length, 2);
    assert.equal(rest.continue, undefined);
    assert.equal(first.items.length + rest.items.length, 5);
    assert.equal((await client.list(configMaps, { namespace: ns, labelSelector: 'n=1' })).items.length, 2);
    await client.deleteCollection(configMaps, { namespace: ns, labelSelector: 'n=1' });
    assert.equal((await client.list(configMaps, { namespace: ns })).items.length, 3);
    const before = await client.list(configMaps, {
      namespace: ns,
      resourceVersion: first.resourceVersion,
      resourceVersionMatch: 'Exact',
    });
    assert.equal(before.items.length, 5);
    assert.equal((await refusal(client.list(configMaps, { labelSelector: '!!' }))).code, 400);
  });

  describe('watches', () => {
    it('show the initial state, its end, and every change in order', async () => {
      const ns = await namespace();
      await client.create(configMaps, configMap(ns, 'a'));
      const watch = client.watch(configMaps, { namespace: ns, sendInitialEvents: true, allowWatchBookmarks: true });
      const events: string[] = [];
      for await (const event of watch) {
        if (event.type === 'BOOKMARK') {
          assert.equal(event.initial, true);
          events.push('BOOKMARK');
          void (async () => {
            for (let i = 0; i < 20; i++)
              await client.patch(configMaps, { namespace: ns, name: 'a' }, 'merge', { data: { i: `${i}` } });
            await client.delete(configMaps, { namespace: ns, name: 'a' });
          })();
          continue;
        }
        events.push(`${event.type} ${event.object['data']?.i ?? ''}`);
        if (event.type === 'DELETED') break;
      }
      const changes = Array.from({ length: 20 }, (_, i) => `MODIFIED ${i}`);
      assert.deepEqual(events, ['ADDED ', 'BOOKMARK', ...changes, 'DELETED 19']);
    });

    it('see objects enter and leave their selector', async () => {
      const ns = await namespace();
      const label = (text: string): object => ({ metadata: { labels: { on: text } } });
      const created = await client.create(configMaps, configMap(ns, 'a'));
      const { resourceVersion = '' } = created.metadata;
      for (const text of ['1', '1', '0'])
        await client.patch(configMaps, { namespace: ns, name: 'a' }, 'merge', {
          ...label(text),
          data: { t: `${Math.random()}` },
        });
      const events = await take(client.watch(configMaps, { namespace: ns, labelSelector: 'on=1', resourceVersion }), 3);
      assert.deepEqual(
        events.map(({ type }) => type),
        ['ADDED', 'MODIFIED', 'DELETED'],
      );
    });

    it('end by their signal, at their time, and with 410 or 403 where they cannot begin', async () => {
      const ns = await namespace();
      const stop = new AbortController();
      const watch = take(client.watch(configMaps, { namespace: ns, signal: stop.signal }), 1);
      await sleep(50);
      const { watches } = server.running.server;
      assert.ok(watches.size > 0);
      const open = watches.size;
      stop.abort();
      assert.deepEqual(await watch, []);
      await sleep(50);
      assert.equal(watches.size, open - 1);
      assert.deepEqual(await take(client.watch(configMaps, { namespace: ns, timeoutSeconds: 1 }), 1), []);
      const future = client.watch(configMaps, { namespace: ns, resourceVersion: '999999999' });
      assert.equal((await refusal(take(future, 1))).code, 410);
      const nobody = clientOf({ name: 'nobody', groups: [] });
      assert.equal((await refusal(take(nobody.watch(configMaps, {}), 1))).code, 403);
    });
  });

  it('serves subresources and paths', async () => {
    const ns = await namespace();
    const spec = {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    };
    await client.create(deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: ns, name: 'd' },
      spec,
    } as Fields);
    const name = { namespace: ns, name: 'd' };
    const scale = await client.subresource<Fields>(deployments, name, 'scale', { method: 'GET' });
    assert.equal(scale.kind, 'Scale');
    assert.equal(scale['spec'].replicas, 1);
    const body = { ...scale, spec: { replicas: 3 } };
    const scaled = await client.subresource<Fields>(deployments, name, 'scale', { method: 'PUT', body });
    assert.equal(scaled['spec'].replicas, 3);
    const current = await client.get(deployments, name);
    const status = { ...current, status: { ...current['status'], observedGeneration: 2 } };
    assert.equal((await client.update(deployments, status, { subresource: 'status' }))['status'].observedGeneration, 2);
    await client.create(pods, pod(ns, 'p'));
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace: ns, name: 'p' } };
    const evicted = await client.subresource<Fields>(pods, { namespace: ns, name: 'p' }, 'eviction', {
      method: 'POST',
      body: eviction,
    });
    assert.equal(evicted['status'], 'Success');
    assert.equal((await client.getPath<Fields>('/apis')).kind, 'APIGroupList');
    assert.equal(
      (await refusal(client.subresource(pods, { namespace: ns, name: 'p' }, 'exec', { method: 'GET' }))).status,
      'Failure',
    );
  });

  it('discovers what the server has', async () => {
    const { resources, failures } = await new DiscoveryClient(client).resources();
    const found = resources.filter(({ resource }) => resource.resource === 'horizontalpodautoscalers');
    const shown = found.map(({ resource, isPreferred }) => [resource.version, isPreferred]);
    assert.deepEqual([shown[0], failures.size], [['v2', true], 0]);
    assert.ok(shown.some(([version, isPreferred]) => version === 'v1' && isPreferred === false));
    const { subresources, verbs, resource } = resources.find(({ resource: { kind } }) => kind === 'Deployment')!;
    assert.deepEqual([subresources.toSorted(), verbs.includes('watch')], [['scale', 'status'], true]);
    const { items } = await client.list(metadataOf(resource), {});
    assert.ok(items.every((item) => !('spec' in item)));
  });

  it('is authorized, and said to be forbidden in the same words', async () => {
    const nobody = clientOf({ name: 'nobody', groups: [] });
    const { status, message, reason, code } = await refusal(nobody.list(configMaps, { namespace: 'default' }));
    const expected =
      'configmaps is forbidden: User "nobody" cannot list resource "configmaps" in API group "" in the namespace "default"';
    assert.deepEqual(
      { status, message, reason, code },
      { status: 'Failure', message: expected, reason: 'Forbidden', code: 403 },
    );
    assert.equal((await nobody.getPath<Fields>('/version'))['major'], '1');
  });

  it('passes admission and quota', async () => {
    const ns = await namespace();
    await client.create(limitRanges, {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { namespace: ns, name: 'l' },
      spec: { limits: [{ type: 'Container', default: { cpu: '100m' } }] },
    } as Fields);
    const hard = { 'count/configmaps': '1' };
    const quota = await client.create(quotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace: ns, name: 'q' },
      spec: { hard },
    } as Fields);
    const status = { hard, used: { 'count/configmaps': '0' } };
    await client.update(quotas, { ...quota, status }, { subresource: 'status' });
    const created = await client.create(pods, pod(ns, 'p'));
    assert.equal(created['spec'].serviceAccountName, 'default');
    assert.deepEqual(created['spec'].containers[0].resources.limits, { cpu: '100m' });
    await client.create(configMaps, configMap(ns, 'first'));
    assert.match(
      (await refusal(client.create(configMaps, configMap(ns, 'second')))).message ?? '',
      /exceeded quota: q/,
    );
  });
});
