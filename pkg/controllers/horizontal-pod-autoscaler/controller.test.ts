import assert from 'node:assert/strict';
import { deployments } from '../../api/apps/tokens.ts';
import { horizontalPodAutoscalers } from '../../api/autoscaling/tokens.ts';
import { events, pods } from '../../api/core/tokens.ts';
import { conflict, notFound } from '../../apimachinery/errors/status-error.ts';
import type { HorizontalPodAutoscaler, MetricSpec } from '../../generated/types/autoscaling-v2.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { podOf } from '../service-endpoints/objects-testing.ts';
import { horizontalPodAutoscalerController } from './controller.ts';

const PERIOD_MS = 15_000;
const FIRST_LOOK_MS = 1000;
const CONFIG = {
  workers: { horizontalPodAutoscaler: 2 },
  autoscaling: {
    periodMs: PERIOD_MS,
    downscaleDelayMs: 300_000,
    tolerance: 0.1,
    cpuInitializationMs: 300_000,
    initialReadinessMs: 30_000,
  },
} as ControllersConfig;
const name = { namespace: 'ns', name: 'web' };
const CPU: MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};

describe('the horizontal pod autoscaler controller', () => {
  let fixture: ControllersFixture;
  /** CPU of each pod, in thousandths. */
  let usage: number | undefined;
  let replicas: number;
  let asked: string[];
  let noExternal: boolean;
  /** Before a size is written: the target changes, and has another size where one is given. */
  let changes: (number | undefined)[];

  beforeEach(() => {
    fixture = new ControllersFixture();
    [usage, replicas, asked, noExternal, changes] = [undefined, 2, [], false, []];
    const { client } = fixture;
    const original = client.getDocument.bind(client);
    const found = async (path: string): Promise<object | undefined> => {
      if (path === '/apis') return { groups: [{ versions: [{ groupVersion: 'apps/v1' }] }] };
      if (path === '/api/v1') return { resources: [] };
      if (path === '/apis/apps/v1')
        return { resources: [{ name: 'deployments', kind: 'Deployment', namespaced: true, verbs: [] }] };
      if (path.startsWith('/apis/metrics.k8s.io/') && usage !== undefined) return { items: await samples(usage) };
      if (path.startsWith('/apis/external.metrics.k8s.io/') && !noExternal) return { items: [{ value: '30' }] };
      return undefined;
    };
    client.getDocument = (async (path: string) => {
      asked.push(path);
      const body = await found(path);
      return body === undefined ? original(path) : { body };
    }) as typeof client.getDocument;
    client.subresource = (async (
      _resource: unknown,
      target: object,
      _sub: string,
      call: { body?: { spec: never } },
    ) => {
      if (call.body !== undefined && changes.length > 0) {
        replicas = changes.shift() ?? replicas;
        throw conflict({ group: 'apps', resource: 'deployments' }, 'web', 'changed');
      }
      if (call.body !== undefined) replicas = (call.body.spec as { replicas: number }).replicas;
      return { metadata: target, spec: { replicas }, status: { replicas, selector: 'app=web' } };
    }) as typeof client.subresource;
  });
  afterEach(() => fixture.stop());

  const samples = async (value: number): Promise<object[]> =>
    (await fixture.client.list(pods, { namespace: 'ns' })).items.map(({ metadata }) => ({
      metadata: { name: metadata.name },
      timestamp: new Date(fixture.clock.wallMs()).toISOString(),
      window: '15s',
      containers: [{ name: 'main', usage: { cpu: `${value}m` } }],
    }));
  const makePods = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const pod = podOf(`p-${i}`, `10.0.0.${i + 1}`);
      await fixture.client.create(pods, {
        ...pod,
        spec: { containers: [{ name: 'main', resources: { requests: { cpu: '100m' } } }] },
        status: { ...pod.status, startTime: '2026-01-01T00:00:00Z' },
      });
    }
  };
  const create = (spec: Partial<HorizontalPodAutoscaler['spec']> = {}): Promise<unknown> =>
    fixture.client.create(horizontalPodAutoscalers, {
      metadata: name,
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: deployments.kind, name: 'web' },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [CPU],
        ...spec,
      },
      status: { desiredReplicas: 0, currentMetrics: null },
    });
  /** Until the first round is over. */
  const start = async (): Promise<void> => {
    await fixture.start(horizontalPodAutoscalerController.create(fixture.context, CONFIG)!);
    await fixture.clock.advance(FIRST_LOOK_MS);
  };
  const status = async (): Promise<HorizontalPodAutoscaler['status']> =>
    (await fixture.client.get(horizontalPodAutoscalers, name)).status;
  const reasons = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await status()).conditions!.map(({ type, status: value, reason }) => [type, `${value} ${reason}`]),
    );

  it('scales up by utilization, at most to twice the number, and says so', async () => {
    await makePods(2);
    usage = 200;
    await create();
    await start();
    assert.equal(replicas, 4);
    assert.deepEqual(await reasons(), {
      AbleToScale: 'True SucceededRescale',
      ScalingActive: 'True ValidMetricFound',
      ScalingLimited: 'True ScaleUpLimit',
    });
    const notes = (await fixture.client.list(events)).items.map(({ message }) => message);
    assert.deepEqual(notes, ['New size: 4; reason: cpu resource utilization (percentage of request) above target']);
    const { currentMetrics, desiredReplicas, lastScaleTime } = await status();
    assert.deepEqual(currentMetrics![0]!.resource!.current, { averageUtilization: 200, averageValue: '200m' });
    assert.deepEqual([desiredReplicas, typeof lastScaleTime], [4, 'string']);
    assert.deepEqual(fixture.errors, []);
  });

  it('writes the size once more where the target has changed but for its size', async () => {
    replicas = 20;
    changes = [undefined];
    await create();
    await start();
    await fixture.clock.advance(100);
    assert.equal(replicas, 10);
    const notes = (await fixture.client.list(events)).items.map(({ message }) => message);
    assert.deepEqual(notes, ['New size: 10; reason: Current number of replicas above Spec.MaxReplicas']);
    assert.equal((await status()).desiredReplicas, 10);
  });

  it('leaves a target alone that got another size meanwhile', async () => {
    replicas = 20;
    changes = [12, ...Array.from({ length: 9 }, () => undefined)];
    await create();
    await start();
    for (let i = 0; i < 10; i++) await fixture.clock.advance(20);
    assert.equal(replicas, 12);
    assert.equal((await reasons())['AbleToScale'], 'False FailedUpdateScale');
  });

  it('comes to the metrics soon where it has enforced the bounds first, whatever its period', async () => {
    replicas = 20;
    usage = 200;
    await makePods(10);
    await create();
    const config = { ...CONFIG, autoscaling: { ...CONFIG.autoscaling, periodMs: 4 * PERIOD_MS } };
    await fixture.start(horizontalPodAutoscalerController.create(fixture.context, config)!);
    await fixture.clock.advance(FIRST_LOOK_MS);
    assert.deepEqual(Object.keys(await reasons()), ['AbleToScale']);
    await fixture.clock.advance(PERIOD_MS);
    assert.equal((await reasons())['ScalingActive'], 'True ValidMetricFound');
    usage = undefined;
    await fixture.clock.advance(4 * PERIOD_MS - 1);
    assert.equal((await reasons())['ScalingActive'], 'True ValidMetricFound');
    await fixture.clock.advance(1);
    assert.equal((await reasons())['ScalingActive'], 'False FailedGetResourceMetric');
  });

  it('stays within the tolerance', async () => {
    await makePods(2);
    usage = 54;
    await create();
    await start();
    assert.equal(replicas, 2);
    assert.equal((await reasons())['AbleToScale'], 'True ReadyForNewScale');
  });

  it('scales down when no recommendation of the last minutes was higher', async () => {
    replicas = 4;
    await makePods(4);
    usage = 10;
    await create();
    await start();
    assert.equal(replicas, 4);
    assert.equal((await reasons())['AbleToScale'], 'True ScaleDownStabilized');
    await fixture.clock.advance(301_000);
    assert.equal(replicas, 1);
  });

  it('keeps to the rates of a behavior', async () => {
    replicas = 8;
    await makePods(8);
    usage = 1;
    await create({
      behavior: {
        scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 2, periodSeconds: 60 }] },
      },
    });
    await start();
    assert.deepEqual([replicas, (await reasons())['ScalingLimited']], [6, 'True ScaleDownLimit']);
    await fixture.clock.advance(3 * PERIOD_MS);
    assert.equal(replicas, 6);
    await fixture.clock.advance(2 * PERIOD_MS);
    assert.equal(replicas, 4);
  });

  it('brings the number within the bounds without metrics, and says that there are none', async () => {
    replicas = 5;
    await makePods(2);
    await create({ maxReplicas: 2 });
    await start();
    assert.equal(replicas, 2);
    await fixture.clock.advance(PERIOD_MS);
    const { conditions, currentMetrics } = await status();
    assert.deepEqual(currentMetrics, [{ type: '' }]);
    const active = conditions!.find(({ type }) => type === 'ScalingActive')!;
    assert.equal(active.reason, 'FailedGetResourceMetric');
    assert.match(
      active.message!,
      /unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API/,
    );
  });

  it('names a target that is not there', async () => {
    fixture.client.subresource = () =>
      Promise.reject(notFound({ group: 'apps', resource: 'deployments/scale' }, 'web'));
    await create();
    await start();
    const [condition] = (await status()).conditions!;
    const message =
      'the HPA controller was unable to get the target\'s current scale: deployments.apps "web" not found';
    assert.deepEqual([condition!.reason, condition!.message], ['FailedGetScale', message]);
  });

  it('does not scale what was scaled to zero', async () => {
    replicas = 0;
    await create();
    await start();
    assert.deepEqual([replicas, (await reasons())['ScalingActive']], [0, 'False ScalingDisabled']);
  });

  it('divides external metrics among the pods', async () => {
    await makePods(2);
    const target = { type: 'AverageValue', averageValue: '10' };
    await create({ metrics: [{ type: 'External', external: { metric: { name: 'depth' }, target } }] });
    await start();
    assert.equal(replicas, 3);
    assert.ok(asked.includes('/apis/external.metrics.k8s.io/v1beta1/namespaces/ns/depth'));
  });

  it('refuses to scale pods that another autoscaler scales', async () => {
    await makePods(2);
    usage = 200;
    await create();
    await fixture.client.create(horizontalPodAutoscalers, {
      ...(await fixture.client.get(horizontalPodAutoscalers, name)),
      metadata: { namespace: 'ns', name: 'other' },
    });
    await start();
    await fixture.clock.advance(PERIOD_MS);
    assert.equal((await reasons())['ScalingActive'], 'False AmbiguousSelector');
  });

  it('first looks at an autoscaler when what is made with it is there', async () => {
    await makePods(2);
    usage = 200;
    await create();
    await fixture.start(horizontalPodAutoscalerController.create(fixture.context, CONFIG)!);
    await fixture.clock.advance(FIRST_LOOK_MS - 1);
    assert.deepEqual([replicas, (await status()).conditions], [2, undefined]);
    await fixture.clock.advance(1);
    assert.equal(replicas, 4);
  });

  it('reads tolerances of a behavior as quantities', async () => {
    await makePods(2);
    usage = 54;
    await create({ behavior: { scaleUp: { stabilizationWindowSeconds: 0, tolerance: '50m' } } });
    await start();
    assert.equal(replicas, 3);
  });

  it('gives no reason for what only earlier recommendations ask for', async () => {
    replicas = 6;
    await makePods(6);
    usage = 50;
    await create();
    await start();
    replicas = 2;
    await fixture.client.deleteCollection(pods, { namespace: 'ns' });
    await makePods(2);
    await fixture.clock.advance(PERIOD_MS);
    assert.equal(replicas, 4);
    assert.equal((await fixture.client.list(events)).items.at(-1)!.message, 'New size: 4; reason: ');
  });

  describe('words for metrics that are not there', () => {
    const failures = async (metric: MetricSpec): Promise<string[]> => {
      await makePods(2);
      await create({ metrics: [metric] });
      await start();
      return (await fixture.client.list(events)).items.map(({ message }) => message!);
    };
    const value = { type: 'Value', value: '10' };
    const average = { type: 'AverageValue', averageValue: '10' };
    const metric = { name: 'hits' };
    const describedObject = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'main' };
    const noCustom =
      'unable to get metric hits: Deployment on ns main/unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered';
    const first = 'invalid metrics (1 invalid out of 1), first error is: ';

    it('of an object', async () => {
      const found = await failures({ type: 'Object', object: { metric, describedObject, target: value } });
      assert.deepEqual(found, [noCustom, `${first}failed to get object metric value: ${noCustom}`]);
    });

    it('of an object, divided among pods', async () => {
      const found = await failures({ type: 'Object', object: { metric, describedObject, target: average } });
      const subject = 'failed to get object metric value: failed to get hits object metric: ';
      assert.deepEqual(found, [noCustom, `${first}${subject}${noCustom}`]);
    });

    it('of an external source', async () => {
      noExternal = true;
      const found = await failures({ type: 'External', external: { metric, target: value } });
      const text =
        'unable to get external metric ns/hits/nil: unable to fetch metrics from external metrics API: the server could not find the requested resource (get hits.external.metrics.k8s.io)';
      const subject = 'failed to get hits external metric value: failed to get external metric hits: ';
      assert.deepEqual(found, [text, `${first}${subject}${text}`]);
    });

    it('of a container', async () => {
      usage = 10;
      const target = { type: 'Utilization', averageUtilization: 50 };
      const found = await failures({
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: 'other', target },
      });
      const text =
        'failed to get cpu utilization: unable to get metrics for resource cpu: failed to get container metrics: container other not present in metrics for pod ns/p-0';
      assert.deepEqual(found, [text, `${first}failed to get other container metric value: ${text}`]);
    });
  });

  it('names a metric of a container so', async () => {
    await makePods(2);
    usage = 200;
    const target = { type: 'Utilization', averageUtilization: 50 };
    const containerResource = { name: 'cpu', container: 'main', target };
    await create({ metrics: [{ type: 'ContainerResource', containerResource }] });
    await start();
    const message = (await fixture.client.list(events)).items[0]!.message;
    assert.equal(
      message,
      'New size: 4; reason: cpu container resource utilization (percentage of request) above target',
    );
  });
});
