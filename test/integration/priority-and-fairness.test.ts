/**
 * Priority and fairness of a whole server: its objects, their repair and conditions, answers to requests, and the pages
 * for operators.
 */
import assert from 'node:assert/strict';
import { ControllerContexts } from '../../pkg/controllers/controller-contexts.ts';
import { flowControlObjectsController } from '../../pkg/controllers/flow-control-objects/controller.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { until } from '../fixtures/until.ts';

const schemas = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
const levels = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations';
const mark = 'apf.kubernetes.io/autoupdate-spec';

describe('priority and fairness', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ args: ['--max-requests-inflight=40', '--max-mutating-requests-inflight=20'] });
  });
  after(() => server.stop());

  const get = async (path: string) => (await server.client.get(path)).json;
  const text = async (path: string) => (await server.client.get(path)).body.toString();
  /** What another server does at its start. */
  const ensure = async () => {
    const user = { name: 'system:apiserver', groups: ['system:masters'] };
    const { running } = server;
    // These lists wait until the caches, which informers of the process read, have all that was written before.
    await get(levels);
    await get(schemas);
    const contexts = new ControllerContexts({
      clientOf: () => running.localClient(user),
      sources: running.localSources(user, (error) => assert.fail(String(error))),
      onError: (error) => assert.fail(String(error)),
    });
    const controller = flowControlObjectsController(contexts.of('test'));
    contexts.startInformers();
    await controller.start();
    await controller.settled();
    await controller.stop();
    await contexts.stop();
  };
  const condition = async (name: string) => (await get(`${schemas}/${name}`)).status.conditions?.[0] ?? {};

  it('has the objects of a stock server', async () => {
    const items = (await get(levels)).items as {
      metadata: { name: string; annotations: object; generation: number };
      spec: { type: string; limited?: { nominalConcurrencyShares: number } };
    }[];
    assert.deepEqual(
      items.map(({ metadata, spec }) => [metadata.name, spec.limited?.nominalConcurrencyShares ?? spec.type]),
      [
        ['catch-all', 5],
        ['exempt', 'Exempt'],
        ['global-default', 20],
        ['leader-election', 10],
        ['node-high', 40],
        ['system', 30],
        ['workload-high', 40],
        ['workload-low', 100],
      ],
    );
    const found = (await get(schemas)).items as {
      metadata: { name: string; annotations: object; generation: number };
      spec: { matchingPrecedence: number };
    }[];
    assert.deepEqual(
      found
        .toSorted((a, b) => a.spec.matchingPrecedence - b.spec.matchingPrecedence)
        .map(({ metadata }) => metadata.name),
      [
        'exempt',
        'probes',
        'system-leader-election',
        'system-node-high',
        'system-nodes',
        'kube-controller-manager',
        'kube-scheduler',
        'kube-system-service-accounts',
        'service-accounts',
        'global-default',
        'catch-all',
      ],
    );
    for (const { metadata } of [...items, ...found])
      assert.deepEqual([metadata.annotations, metadata.generation], [{ [mark]: 'true' }, 1]);
    for (const { metadata } of found) {
      await until(async () => (await condition(metadata.name)).status === 'False', `the condition of ${metadata.name}`);
      assert.match(
        (await condition(metadata.name)).message,
        /^This FlowSchema references the PriorityLevelConfiguration object named "[a-z-]+" and it exists$/,
      );
    }
  });

  it('repairs mandatory objects, and the others unless their owners keep them', async () => {
    assert.equal((await server.client.delete(`${schemas}/catch-all`)).status, 200);
    const shares = async (name: string, value: number, annotation?: string) =>
      assert.equal(
        (
          await server.client.patch(`${levels}/${name}`, 'merge', {
            ...(annotation === undefined ? {} : { metadata: { annotations: { [mark]: annotation } } }),
            spec: { limited: { nominalConcurrencyShares: value } },
          })
        ).status,
        200,
      );
    await shares('system', 31);
    await shares('node-high', 41, 'false');
    await server.client.post(levels, {
      metadata: { name: 'of-another-release', annotations: { [mark]: 'true' } },
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    });
    await ensure();
    assert.equal((await server.client.get(`${schemas}/catch-all`)).status, 200);
    const now = async (name: string) => (await get(`${levels}/${name}`)).spec.limited.nominalConcurrencyShares;
    assert.deepEqual([await now('system'), await now('node-high')], [30, 41]);
    assert.equal((await server.client.get(`${levels}/of-another-release`)).status, 404);
    const versions = async () =>
      (await get(levels)).items.map(
        ({ metadata }: { metadata: { resourceVersion: string } }) => metadata.resourceVersion,
      );
    const before = await versions();
    await ensure();
    assert.deepEqual(await versions(), before);
  });

  it('follows changes, and says which schemas dangle', async () => {
    const spec = {
      priorityLevelConfiguration: { name: 'special' },
      matchingPrecedence: 10,
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'admin' } }],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version'] }],
        },
      ],
    };
    assert.equal((await server.client.post(schemas, { metadata: { name: 'special' }, spec })).status, 201);
    await until(async () => (await condition('special')).status === 'True', 'the schema dangles');
    assert.equal(
      (await condition('special')).message,
      'This FlowSchema references the PriorityLevelConfiguration object named "special" but there is no such object',
    );
    const level = (
      await server.client.post(levels, {
        metadata: { name: 'special' },
        spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
      })
    ).json;
    await until(async () => (await condition('special')).status === 'False', 'its level is found');
    // Administrators stay exempt: that schema comes first.
    const { headers } = await server.client.get('/version');
    const exempt = await get(`${schemas}/exempt`);
    assert.equal(headers['x-kubernetes-pf-flowschema-uid'], exempt.metadata.uid);
    assert.match(
      await text('/debug/api_priority_and_fairness/dump_priority_levels'),
      /^special, +0, +true, +false, +0, +0, +0, +0, +0, +0$/m,
    );
    assert.ok(level.metadata.uid.length > 0);
    await server.client.delete(`${levels}/special`);
    await until(async () => (await condition('special')).status === 'True', 'the schema dangles');
    await until(
      async () => !(await text('/debug/api_priority_and_fairness/dump_priority_levels')).includes('special'),
      'the level is gone',
    );
    await server.client.delete(`${schemas}/special`);
  });

  it('shows requests in flight', async () => {
    const watch = server.client.watch('/api/v1/namespaces?watch=true');
    await watch.until((events) => events.length > 0);
    const [columns, ...rows] = (await text('/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1'))
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/, */));
    assert.deepEqual(
      [columns![0], columns![4], columns!.at(-1)],
      ['PriorityLevelName', 'FlowDistingsher', 'SubResource'],
    );
    // The watch has begun and needs no seat any more.
    assert.deepEqual(
      rows.map((row) => [row[0], row[1], row[10], row[12]]),
      [['exempt', 'exempt', 'admin', '/debug/api_priority_and_fairness/dump_requests']],
    );
    watch.close();
    const queues = (await text('/debug/api_priority_and_fairness/dump_queues')).trimEnd().split('\n');
    assert.equal(queues.filter((line) => line.startsWith('workload-low,')).length, 128);
    assert.equal((await server.client.get('/debug/api_priority_and_fairness/other')).status, 404);
    const metrics = await text('/metrics');
    for (const line of [
      'apiserver_flowcontrol_nominal_limit_seats{priority_level="workload-low"} 25',
      'apiserver_flowcontrol_request_concurrency_limit{priority_level="catch-all"} 2',
    ])
      assert.ok(metrics.includes(line), line);
    assert.match(
      metrics,
      /^apiserver_flowcontrol_dispatched_requests_total\{flow_schema="exempt",priority_level="exempt"\} \d+$/m,
    );
  });
});

describe('--enable-priority-and-fairness=false', () => {
  it('leaves requests to the in-flight limits', async () => {
    const server = await startTestServer({ args: ['--enable-priority-and-fairness=false'] });
    try {
      assert.equal((await server.client.get('/version')).headers['x-kubernetes-pf-flowschema-uid'], undefined);
      assert.equal((await server.client.get('/debug/api_priority_and_fairness/dump_queues')).status, 404);
    } finally {
      await server.stop();
    }
  });
});
