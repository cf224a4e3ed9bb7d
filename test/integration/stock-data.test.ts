/** Data as a stock API server leaves it in etcd, and what this server leaves there for one. */
import assert from 'node:assert/strict';
import { decodeEnvelope } from '../../pkg/codec/protobuf/envelope.ts';
import { openEtcdStore } from '../../pkg/storage/etcd/open-etcd-store.ts';
import type { EtcdStore } from '../../pkg/storage/etcd/etcd-store.ts';
import type { ApiClient } from '../fixtures/api-client.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { until } from '../fixtures/until.ts';
import { entry, message, objectMeta, storedProtobuf, time, wireCreated, wireUid } from '../fixtures/wire-bytes.ts';
import { assertFailure, configMap } from './on-each-store.ts';

const metadata = { creationTimestamp: wireCreated, uid: wireUid };
const namespace = 'stock';
const podTemplate = message(
  [1, message([11, entry('app', 'web')])],
  [2, message([2, message([1, 'main'], [2, 'nginx:1'])])],
);
const workloadSpec = message([1, 3], [2, message([1, entry('app', 'web')])], [3, podTemplate], [7, true]);
const integer = (value: number): Buffer => message([1, 0], [2, value], [3, '']);
const text = (value: string): Buffer => message([1, 1], [2, 0], [3, value]);

interface Stored {
  readonly key: string;
  readonly value: Buffer;
  /** Where it is read. */
  readonly path: string;
  /** Fields that the answer has to have, besides metadata. */
  readonly shown: Record<string, unknown>;
}

function stored(
  key: string,
  apiVersion: string,
  kind: string,
  fields: readonly (readonly [number, string | number | boolean | Uint8Array])[],
  path: string,
  shown: Record<string, unknown>,
  annotations: Record<string, string> = {},
): Stored {
  const parts = key.split('/');
  const name = parts.at(-1)!;
  const own = parts.at(-2) === namespace ? { namespace } : {};
  const value = storedProtobuf(
    apiVersion,
    kind,
    message([1, objectMeta({ name, ...own, labels: { from: 'stock' }, annotations })], ...fields),
  );
  return { key, value, path, shown };
}

const core = `/api/v1/namespaces/${namespace}`;
const containers = [{ name: 'main', image: 'nginx:1' }];

const objects: readonly Stored[] = [
  stored(
    `namespaces/${namespace}`,
    'v1',
    'Namespace',
    [
      [2, message([1, 'kubernetes'])],
      [3, message([1, 'Active'])],
    ],
    `/api/v1/namespaces/${namespace}`,
    { status: { phase: 'Active' }, spec: { finalizers: ['kubernetes'] } },
  ),
  stored(
    `configmaps/${namespace}/c`,
    'v1',
    'ConfigMap',
    [
      [2, entry('__proto__', 'p')],
      [2, entry('k', 'grüße')],
      [3, entry('b', Buffer.from([0, 255]))],
      [4, true],
    ],
    `${core}/configmaps/c`,
    { binaryData: { b: 'AP8=' }, immutable: true },
  ),
  stored(
    `secrets/${namespace}/s`,
    'v1',
    'Secret',
    [
      [2, entry('password', Buffer.from('x'))],
      [3, 'Opaque'],
    ],
    `${core}/secrets/s`,
    { data: { password: 'eA==' }, type: 'Opaque' },
  ),
  stored(
    'minions/n',
    'v1',
    'Node',
    [[2, message([1, '10.1.0.0/24'], [3, 'cloud://n'], [4, true])]],
    '/api/v1/nodes/n',
    { spec: { podCIDR: '10.1.0.0/24', providerID: 'cloud://n', unschedulable: true } },
  ),
  stored(
    `services/specs/${namespace}/web`,
    'v1',
    'Service',
    [
      [
        2,
        message(
          [1, message([1, 'http'], [2, 'TCP'], [3, 80], [4, text('http')], [5, 0])],
          [2, entry('app', 'web')],
          [3, 'None'],
          [4, 'ClusterIP'],
          [7, 'None'],
        ),
      ],
    ],
    `${core}/services/web`,
    {
      spec: {
        clusterIP: 'None',
        ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 'http' }],
        selector: { app: 'web' },
        type: 'ClusterIP',
      },
    },
  ),
  stored(
    `services/endpoints/${namespace}/web`,
    'v1',
    'Endpoints',
    [[2, message([1, message([1, '10.1.0.5'])], [3, message([1, 'http'], [2, 80], [3, 'TCP'])])]],
    `${core}/endpoints/web`,
    { subsets: [{ addresses: [{ ip: '10.1.0.5' }], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }] },
  ),
  stored(
    `controllers/${namespace}/rc`,
    'v1',
    'ReplicationController',
    [[2, message([1, 2], [2, entry('app', 'web')], [3, podTemplate])]],
    `${core}/replicationcontrollers/rc`,
    {
      spec: {
        replicas: 2,
        selector: { app: 'web' },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
      },
    },
  ),
  stored(
    `leases/${namespace}/l`,
    'coordination.k8s.io/v1',
    'Lease',
    [[2, message([1, 'me'], [2, 15], [4, time('2022-03-04T05:06:07Z', 123_456_000)], [5, 2])]],
    `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/l`,
    {
      spec: {
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        renewTime: '2022-03-04T05:06:07.123456Z',
        leaseTransitions: 2,
      },
    },
  ),
  stored(
    `deployments/${namespace}/new`,
    'apps/v1',
    'Deployment',
    [[2, workloadSpec]],
    `/apis/apps/v1/namespaces/${namespace}/deployments/new`,
    { spec: { replicas: 3, paused: true, template: { spec: { containers } } } },
  ),
  // Versions that servers of long ago stored.
  stored(
    `deployments/${namespace}/old`,
    'extensions/v1beta1',
    'Deployment',
    [[2, workloadSpec]],
    `/apis/apps/v1/namespaces/${namespace}/deployments/old`,
    {
      spec: {
        replicas: 3,
        paused: true,
        selector: { matchLabels: { app: 'web' } },
        template: { spec: { containers } },
      },
    },
  ),
  stored(
    `deployments/${namespace}/middle`,
    'apps/v1beta1',
    'Deployment',
    [[2, workloadSpec]],
    `/apis/apps/v1/namespaces/${namespace}/deployments/middle`,
    { spec: { replicas: 3, paused: true } },
  ),
  stored(
    `statefulsets/${namespace}/db`,
    'apps/v1beta2',
    'StatefulSet',
    [[2, message([1, 3], [2, message([1, entry('app', 'web')])], [3, podTemplate], [5, 'db'])]],
    `/apis/apps/v1/namespaces/${namespace}/statefulsets/db`,
    { spec: { replicas: 3, serviceName: 'db' } },
  ),
  stored(
    `ingress/${namespace}/i`,
    'extensions/v1beta1',
    'Ingress',
    [
      [
        2,
        message(
          [1, message([1, 'web'], [2, integer(80)])],
          [
            3,
            message(
              [1, 'a.example.com'],
              [2, message([1, message([1, message([1, '/x'], [2, message([1, 'web'], [2, text('http')])])])])],
            ),
          ],
        ),
      ],
    ],
    `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses/i`,
    {
      spec: {
        defaultBackend: { service: { name: 'web', port: { number: 80 } } },
        rules: [
          {
            host: 'a.example.com',
            http: {
              paths: [
                {
                  path: '/x',
                  pathType: 'ImplementationSpecific',
                  backend: { service: { name: 'web', port: { name: 'http' } } },
                },
              ],
            },
          },
        ],
      },
    },
  ),
  stored(
    `horizontalpodautoscalers/${namespace}/h`,
    'autoscaling/v1',
    'HorizontalPodAutoscaler',
    [[2, message([1, message([1, 'Deployment'], [2, 'new'], [3, 'apps/v1'])], [2, 1], [3, 7], [4, 55])]],
    `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers/h`,
    {
      spec: {
        minReplicas: 1,
        maxReplicas: 7,
        scaleTargetRef: { kind: 'Deployment', name: 'new', apiVersion: 'apps/v1' },
        metrics: [
          { type: 'Pods', pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '5' } } },
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 55 } } },
        ],
      },
    },
    {
      'autoscaling.alpha.kubernetes.io/metrics':
        '[{"type":"Pods","pods":{"metricName":"hits","targetAverageValue":"5"}}]',
    },
  ),
  stored(
    `cronjobs/${namespace}/j`,
    'batch/v1beta1',
    'CronJob',
    [
      [
        2,
        message(
          [1, '0 1 * * *'],
          [3, 'Forbid'],
          [4, true],
          [5, message([1, message()], [2, message([2, 4], [6, podTemplate])])],
        ),
      ],
    ],
    `/apis/batch/v1/namespaces/${namespace}/cronjobs/j`,
    {
      spec: {
        schedule: '0 1 * * *',
        concurrencyPolicy: 'Forbid',
        suspend: true,
        jobTemplate: { spec: { completions: 4 } },
      },
    },
  ),
  stored(
    `poddisruptionbudgets/${namespace}/p`,
    'policy/v1beta1',
    'PodDisruptionBudget',
    [[2, message([1, text('50%')], [2, message([1, entry('app', 'web')])])]],
    `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/p`,
    { spec: { minAvailable: '50%', selector: { matchLabels: { app: 'web' } } } },
  ),
  stored(
    `endpointslices/${namespace}/e`,
    'discovery.k8s.io/v1beta1',
    'EndpointSlice',
    [
      [
        2,
        message(
          [1, '10.1.0.5'],
          [2, message([1, true])],
          [5, entry('kubernetes.io/hostname', 'n')],
          [5, entry('topology.kubernetes.io/zone', 'z')],
          [6, 'n'],
        ),
      ],
      [3, message([1, 'http'], [2, 'TCP'], [3, 80])],
      [4, 'IPv4'],
    ],
    `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices/e`,
    {
      addressType: 'IPv4',
      ports: [{ name: 'http', protocol: 'TCP', port: 80 }],
      endpoints: [{ addresses: ['10.1.0.5'], conditions: { ready: true }, nodeName: 'n', zone: 'z' }],
    },
  ),
  stored(
    `events/${namespace}/ev`,
    'v1',
    'Event',
    [
      [2, message([1, 'Pod'], [2, namespace], [3, 'p'])],
      [3, 'Pulled'],
      [4, 'all is well'],
      [5, message([1, 'agent'])],
      [6, time(wireCreated)],
      [7, time(wireCreated)],
      [8, 3],
      [9, 'Normal'],
    ],
    `/apis/events.k8s.io/v1/namespaces/${namespace}/events/ev`,
    {
      note: 'all is well',
      reason: 'Pulled',
      type: 'Normal',
      regarding: { kind: 'Pod', namespace, name: 'p' },
      deprecatedCount: 3,
      deprecatedFirstTimestamp: wireCreated,
    },
  ),
  stored(
    'clusterroles/viewer',
    'rbac.authorization.k8s.io/v1beta1',
    'ClusterRole',
    [[2, message([1, 'get'], [2, ''], [3, 'pods'])]],
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/viewer',
    { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
  ),
  // Objects that a server with JSON as its storage media type wrote.
  {
    key: `configmaps/${namespace}/json`,
    value: Buffer.from(
      JSON.stringify({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { name: 'json', namespace, labels: { from: 'stock' }, ...metadata },
        data: { k: 'v' },
      }),
    ),
    path: `${core}/configmaps/json`,
    shown: { data: { k: 'v' } },
  },
  {
    key: `deployments/${namespace}/json`,
    path: `/apis/apps/v1/namespaces/${namespace}/deployments/json`,
    shown: { spec: { replicas: 4, template: { spec: { containers } } } },
    value: Buffer.from(
      JSON.stringify({
        kind: 'Deployment',
        apiVersion: 'extensions/v1beta1',
        metadata: { name: 'json', namespace, labels: { from: 'stock' }, ...metadata },
        spec: {
          replicas: 4,
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
        },
      }),
    ),
  },
];

/** Asserts that `actual` has everything that `expected` has; lists have equal lengths. */
function assertHas(actual: any, expected: any, where: string): void {
  if (expected === null || typeof expected !== 'object') return assert.deepEqual(actual, expected, where);
  if (Array.isArray(expected)) assert.equal(actual?.length, expected.length, where);
  for (const key of Object.keys(expected)) assertHas(actual?.[key], expected[key], `${where}.${key}`);
}

describe('data of a stock server', () => {
  let etcd: EtcdServer;
  let raw: EtcdStore;
  let server: TestServer;
  let client: ApiClient;
  const revisions = new Map<string, number>();

  before(async () => {
    etcd = await EtcdServer.start();
    raw = openEtcdStore({ servers: [etcd.url], prefix: '/registry' });
    for (const { key, value } of objects) revisions.set(key, await put(key, value));
    server = await startTestServer({ etcd: etcd.url });
    client = server.client;
  });

  after(async () => {
    await server?.stop();
    await raw?.close();
    await etcd?.stop();
    assert.deepEqual(server?.errors, []);
  });

  async function put(key: string, value: Uint8Array, expectRevision = 0): Promise<number> {
    const result = await raw.commit(key, { expectRevision, value });
    assert.ok(result.ok, key);
    return result.revision;
  }

  for (const { key, path, shown } of objects) {
    it(`${key} is served`, async () => {
      const answer = await client.get(path);
      assert.equal(answer.status, 200, answer.body.toString());
      const { uid, creationTimestamp, labels, resourceVersion } = answer.json.metadata;
      assert.deepEqual(
        { uid, creationTimestamp, resourceVersion },
        { ...metadata, resourceVersion: String(revisions.get(key)) },
      );
      assert.equal(labels.from, 'stock');
      assertHas(answer.json, shown, key);
      const name = encodeURIComponent(`metadata.name=${key.split('/').at(-1)}`);
      const list = (
        await client.get(`${path.slice(0, path.lastIndexOf('/'))}?labelSelector=from%3Dstock&fieldSelector=${name}`)
      ).json;
      assert.deepEqual(
        list.items.map((item: any) => item.metadata.uid),
        [wireUid],
      );
    });
  }

  it('keys that JavaScript objects have by themselves are in it', async () => {
    assert.match((await client.get(`${core}/configmaps/c`)).body.toString(), /"__proto__":"p"/);
  });

  it('is listed, watched and changed like data of its own', async () => {
    const { resourceVersion } = (await client.get(`${core}/configmaps`)).json.metadata;
    const watch = client.watch(`${core}/configmaps?watch=1&resourceVersion=${resourceVersion}`);
    const patched = await client.patch(`${core}/configmaps/json`, 'merge', { data: { more: 'yes' } });
    assert.deepEqual(patched.json.data, { k: 'v', more: 'yes' });
    assert.equal((await client.delete(`${core}/configmaps/c`)).status, 200);
    const events = await watch.until((seen) => seen.length === 2);
    assert.deepEqual(
      events.map((event) => [event.type, event.object.metadata.uid]),
      [
        ['MODIFIED', wireUid],
        ['DELETED', wireUid],
      ],
    );
    watch.close();
  });

  it('and the changes of a stock server beside are seen at once', async () => {
    const { resourceVersion } = (await client.get(`${core}/configmaps`)).json.metadata;
    const watch = client.watch(`${core}/configmaps?watch=1&resourceVersion=${resourceVersion}`);
    const make = (data: string): Buffer =>
      storedProtobuf('v1', 'ConfigMap', message([1, objectMeta({ name: 'beside', namespace })], [2, entry('k', data)]));
    const created = await put(`configmaps/${namespace}/beside`, make('one'));
    assert.equal((await client.get(`${core}/configmaps/beside`)).json.data.k, 'one');
    const changed = await put(`configmaps/${namespace}/beside`, make('two'), created);
    assert.equal((await client.get(`${core}/configmaps/beside`)).json.data.k, 'two');
    assert.ok((await raw.commit(`configmaps/${namespace}/beside`, { expectRevision: changed })).ok);
    assertFailure(await client.get(`${core}/configmaps/beside`), 404, 'NotFound');
    const events = await watch.until((seen) => seen.length === 3);
    assert.deepEqual(
      events.map(({ type, object }) => [type, object.data.k]),
      [
        ['ADDED', 'one'],
        ['MODIFIED', 'two'],
        ['DELETED', 'two'],
      ],
    );
    watch.close();
  });

  it('a flow schema of an older version is read, and stored in the newer one as the server fills in its status', async () => {
    const [key, path] = ['flowschemas/f', '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/f'];
    const apiVersion = async (): Promise<string> => decodeEnvelope(Buffer.from((await raw.get(key))!.value)).apiVersion;
    await put(
      key,
      storedProtobuf(
        'flowcontrol.apiserver.k8s.io/v1beta2',
        'FlowSchema',
        message(
          [1, objectMeta({ name: 'f', labels: {}, annotations: {} })],
          [2, message([1, message([1, 'global-default'])], [2, 77])],
        ),
      ),
    );
    await until(async () => (await client.get(path)).status === 200, 'the flow schema is served');
    assertHas(
      (await client.get(path)).json,
      { spec: { priorityLevelConfiguration: { name: 'global-default' }, matchingPrecedence: 77 } },
      key,
    );
    await until(
      async () => (await apiVersion()) === 'flowcontrol.apiserver.k8s.io/v1',
      'the flow schema is stored again',
    );
  });

  it('a value that cannot be read affects no other', async () => {
    await put(`secrets/${namespace}/damaged`, Buffer.from('k8s\0\xff\xff\xff garbage', 'latin1'));
    assertFailure(await client.get(`${core}/secrets/damaged`), 500, 'InternalError');
    assert.equal((await client.get(`${core}/secrets/s`)).status, 200);
    assert.equal((await client.get(`${core}/configmaps/json`)).status, 200);
    assert.notEqual(server.errors.length, 0, 'it is reported');
    server.errors.length = 0;
  });

  describe('what this server writes', () => {
    const written: readonly [key: string, apiVersion: string, kind: string, path: string, body: object][] = [
      [`configmaps/${namespace}/mine`, 'v1', 'ConfigMap', `${core}/configmaps`, configMap('mine', { k: 'v' })],
      [
        `services/specs/${namespace}/mine`,
        'v1',
        'Service',
        `${core}/services`,
        { metadata: { name: 'mine' }, spec: { ports: [{ port: 80 }] } },
      ],
      ['minions/mine', 'v1', 'Node', '/api/v1/nodes', { metadata: { name: 'mine' } }],
      [
        `deployments/${namespace}/mine`,
        'apps/v1',
        'Deployment',
        `/apis/extensions/v1beta1/namespaces/${namespace}/deployments`,
        { metadata: { name: 'mine' }, spec: { template: { metadata: { labels: { a: 'b' } }, spec: { containers } } } },
      ],
      [
        `ingress/${namespace}/mine`,
        'networking.k8s.io/v1',
        'Ingress',
        `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`,
        { metadata: { name: 'mine' }, spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
      ],
      [
        `horizontalpodautoscalers/${namespace}/mine`,
        'autoscaling/v2',
        'HorizontalPodAutoscaler',
        `/apis/autoscaling/v1/namespaces/${namespace}/horizontalpodautoscalers`,
        {
          metadata: { name: 'mine' },
          spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'mine', apiVersion: 'apps/v1' } },
        },
      ],
      [
        `endpointslices/${namespace}/mine`,
        'discovery.k8s.io/v1',
        'EndpointSlice',
        `/apis/discovery.k8s.io/v1beta1/namespaces/${namespace}/endpointslices`,
        { metadata: { name: 'mine' }, addressType: 'IPv4', endpoints: [] },
      ],
      [
        `resourceclaims/${namespace}/mine`,
        'resource.k8s.io/v1',
        'ResourceClaim',
        `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaims`,
        { metadata: { name: 'mine' }, spec: {} },
      ],
      [
        `events/${namespace}/mine`,
        'v1',
        'Event',
        `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
        {
          metadata: { name: 'mine' },
          regarding: { kind: 'Pod', namespace, name: 'p' },
          reason: 'R',
          action: 'A',
          type: 'Normal',
          eventTime: '2024-05-01T10:00:00.000001Z',
          reportingController: 'example.com/c',
          reportingInstance: 'i',
        },
      ],
    ];
    for (const [key, apiVersion, kind, path, body] of written) {
      it(`has the key and the envelope of a stock server: ${key}`, async () => {
        const created = await client.post(path, body);
        assert.equal(created.status, 201, created.body.toString());
        const found = await raw.get(key);
        assert.equal(String(found?.modRevision), created.json.metadata.resourceVersion);
        const typeMeta = message([1, apiVersion], [2, kind]);
        const head = Buffer.concat([Buffer.from('k8s\0'), message([1, typeMeta])]);
        assert.deepEqual(Buffer.from(found!.value).subarray(0, head.length), head);
        const meta = message(
          [1, 'mine'],
          [2, ''],
          [3, key.includes(namespace) ? namespace : ''],
          [4, ''],
          [5, created.json.metadata.uid],
          [6, ''],
        );
        assert.ok(Buffer.from(found!.value).includes(meta), 'metadata as protobuf, without the version');
      });
    }

    it('is the very bytes where an object is simple', async () => {
      const { uid, creationTimestamp } = (await client.get(`${core}/configmaps/mine`)).json.metadata;
      const meta = message(
        [1, 'mine'],
        [2, ''],
        [3, namespace],
        [4, ''],
        [5, uid],
        [6, ''],
        [7, 0],
        [8, time(creationTimestamp)],
      );
      const expected = storedProtobuf('v1', 'ConfigMap', message([1, meta], [2, entry('k', 'v')]));
      assert.deepEqual(Buffer.from((await raw.get(`configmaps/${namespace}/mine`))!.value), expected);
    });

    it('includes the allocations of services', async () => {
      const typeMeta = message([1, 'v1'], [2, 'RangeAllocation']);
      for (const key of ['ranges/serviceips', 'ranges/servicenodeports'])
        assert.ok(Buffer.from((await raw.get(key))!.value).includes(typeMeta), key);
    });
  });
});
