import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { decodeEnvelope, hasMagic } from '../../../pkg/codec/protobuf/envelope.ts';
import { parseYaml } from '../../../pkg/codec/yaml.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

/** What is in the store itself, and that every form of it is read. */
describe('The stored form of objects', () => {
  let dir: string;
  let server: TestServer | undefined;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-form-'));
  });
  afterEach(async () => {
    await stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function stop(): Promise<void> {
    await server?.stop();
    assert.deepEqual(server?.errors ?? [], []);
    server = undefined;
  }

  async function start(...args: string[]): Promise<void> {
    await stop();
    server = await startTestServer({ dir, args });
  }

  const stored = async (key: string): Promise<Buffer> =>
    Buffer.from((await server!.running.server.store.get(key))!.value);
  const storedVersion = async (key: string): Promise<string> => decodeEnvelope(await stored(key)).apiVersion;

  const budget = (name: string): object => ({
    metadata: { name, labels: { app: name } },
    spec: { minAvailable: 1, selector: { matchLabels: { app: name } } },
  });
  const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
  const budgetKey = (name: string): string => `poddisruptionbudgets/default/${name}`;

  it('has the version that --storage-versions names; other versions are read all the same, and written in it by any update', async () => {
    await start();
    assert.equal((await server!.client.post(budgets, budget('first'))).status, 201);
    assert.equal(await storedVersion(budgetKey('first')), 'policy/v1');

    await start('--storage-versions=policy/v1beta1');
    assert.equal((await server!.client.post(budgets, budget('second'))).status, 201);
    assert.deepEqual(
      [await storedVersion(budgetKey('first')), await storedVersion(budgetKey('second'))],
      ['policy/v1', 'policy/v1beta1'],
    );
    const listed = (await server!.client.get(budgets)).json;
    assert.deepEqual(
      listed.items.map((item: { metadata: { name: string }; spec: object }) => [item.metadata.name, item.spec]),
      [
        ['first', { minAvailable: 1, selector: { matchLabels: { app: 'first' } } }],
        ['second', { minAvailable: 1, selector: { matchLabels: { app: 'second' } } }],
      ],
    );
    const same = (await server!.client.get(`${budgets}/first`)).json;
    assert.equal((await server!.client.put(`${budgets}/first`, same)).status, 200);
    assert.equal(await storedVersion(budgetKey('first')), 'policy/v1beta1');
    assert.equal((await server!.client.get(`${budgets}/first`)).json.metadata.uid, same.metadata.uid);

    await start();
    assert.deepEqual(
      (await server!.client.get(`${budgets}?labelSelector=app%3Dsecond`)).json.items.map(
        (i: { metadata: { name: string } }) => i.metadata.name,
      ),
      ['second'],
    );
  });

  it('may be a version of another group', async () => {
    await start('--storage-versions=apps=extensions/v1beta1');
    const deployment = {
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    };
    assert.equal((await server!.client.post('/apis/apps/v1/namespaces/default/deployments', deployment)).status, 201);
    assert.equal(await storedVersion('deployments/default/d'), 'extensions/v1beta1');
    const statefulSet = { metadata: { name: 's' }, spec: { ...deployment.spec, serviceName: 'x' } };
    assert.equal((await server!.client.post('/apis/apps/v1/namespaces/default/statefulsets', statefulSet)).status, 201);
    assert.equal(await storedVersion('statefulsets/default/s'), 'apps/v1');
    const hash = async (): Promise<string> =>
      (await server!.client.get('/apis/apps/v1')).json.resources.find((r: { name: string }) => r.name === 'deployments')
        .storageVersionHash;
    const moved = await hash();
    await start();
    assert.notEqual(await hash(), moved);
    assert.equal((await server!.client.get('/apis/apps/v1/namespaces/default/deployments/d')).json.spec.replicas, 1);
  });

  it('shows at once what an older version keeps of an object', async () => {
    await start('--storage-versions=autoscaling/v1');
    const autoscalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
    const resource = (name: string, target: object): object => ({ type: 'Resource', resource: { name, target } });
    const [cpu, memory] = [
      resource('cpu', { type: 'Utilization', averageUtilization: 60 }),
      resource('memory', { type: 'AverageValue', averageValue: '1Gi' }),
    ];
    const spec = {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      metrics: [cpu, memory],
    };
    const created = await server!.client.post(autoscalers, { metadata: { name: 'h' }, spec });
    assert.equal(created.status, 201);
    assert.equal(await storedVersion('horizontalpodautoscalers/default/h'), 'autoscaling/v1');
    assert.deepEqual(created.json.spec.metrics, [memory, cpu]);
    await start();
    assert.deepEqual((await server!.client.get(`${autoscalers}/h`)).json.spec, created.json.spec);
    assert.equal(
      (await server!.client.patch(`${autoscalers}/h`, 'merge', { spec: { metrics: [cpu, memory] } })).status,
      200,
    );
    assert.equal(await storedVersion('horizontalpodautoscalers/default/h'), 'autoscaling/v2');
    assert.deepEqual((await server!.client.get(`${autoscalers}/h`)).json.spec.metrics, [cpu, memory]);
  });

  const readers = {
    'application/vnd.kubernetes.protobuf': (value: Buffer) => (hasMagic(value) ? 'protobuf' : undefined),
    'application/json': (value: Buffer) => JSON.parse(value.toString()).data.text as string,
    'application/yaml': (value: Buffer) =>
      value[0] === 0x7b ? undefined : (parseYaml(value.toString()) as { data: { text: string } }).data.text,
  } as const;

  it('is the media type that --storage-media-type names; all of them are read side by side', async () => {
    const maps = '/api/v1/namespaces/default/configmaps';
    const text = 'yes: "no"\n- ü ';
    for (const [i, [mediaType, read]] of Object.entries(readers).entries()) {
      await start(`--storage-media-type=${mediaType}`);
      assert.equal(
        (
          await server!.client.post(maps, {
            metadata: { name: `m${i}`, labels: { form: String(i) } },
            data: { text, ['__proto__']: 'p' },
          })
        ).status,
        201,
      );
      assert.equal(read(await stored(`configmaps/default/m${i}`)), mediaType.endsWith('protobuf') ? 'protobuf' : text);
      const items = (await server!.client.get(`${maps}?labelSelector=form`)).json.items as { data: object }[];
      assert.deepEqual(
        items.map((item) => Object.entries(item.data).sort()),
        Array.from({ length: i + 1 }, () => [
          ['__proto__', 'p'],
          ['text', text],
        ]),
      );
    }
    const kept = (await server!.client.get(`${maps}/m0`)).json;
    assert.equal((await server!.client.put(`${maps}/m0`, kept)).status, 200);
    assert.equal(readers['application/yaml'](await stored('configmaps/default/m0')), text);
  });
});
