/** The official JavaScript client against the built program. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as k8s from '@kubernetes/client-node';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';

const namespace = 'default';

describe('@kubernetes/client-node', function () {
  this.timeout(120_000);
  let server: BinnacleProcess;
  let config: k8s.KubeConfig;
  let core: k8s.CoreV1Api;
  let apps: k8s.AppsV1Api;

  before(async () => {
    server = await startBinnacle();
    config = new k8s.KubeConfig();
    config.loadFromFile(server.kubeconfig);
    core = config.makeApiClient(k8s.CoreV1Api);
    apps = config.makeApiClient(k8s.AppsV1Api);
  });

  after(() => server?.stop());

  async function code(call: Promise<unknown>): Promise<number | string> {
    try {
      await call;
      return 'success';
    } catch (error) {
      return (error as { code?: number }).code ?? String(error);
    }
  }

  const deployment = (name: string): k8s.V1Deployment => ({
    metadata: { name, labels: { app: name } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'web', image: 'nginx:1' }] } },
    },
  });

  it('creates, reads, replaces, patches and deletes', async () => {
    const created = await apps.createNamespacedDeployment({ namespace, body: deployment('web') });
    assert.ok(created.metadata?.uid);
    assert.ok(created.metadata.creationTimestamp instanceof Date);
    assert.equal(created.spec?.strategy?.rollingUpdate?.maxSurge, '25%');
    const read = await apps.readNamespacedDeployment({ namespace, name: 'web' });
    assert.deepEqual(read, created);

    read.spec!.template.spec!.containers[0]!.image = 'nginx:2';
    const replaced = await apps.replaceNamespacedDeployment({ namespace, name: 'web', body: read });
    assert.equal(replaced.metadata?.generation, 2);

    const patch = (body: unknown, type: string): Promise<k8s.V1Deployment> =>
      apps.patchNamespacedDeployment({ namespace, name: 'web', body }, k8s.setHeaderOptions('Content-Type', type));
    const merged = await patch({ metadata: { annotations: { a: 'b' } } }, k8s.PatchStrategy.MergePatch);
    assert.equal(merged.metadata?.annotations?.['a'], 'b');
    const strategic = await patch(
      { spec: { template: { spec: { containers: [{ name: 'side', image: 'busybox' }] } } } },
      k8s.PatchStrategy.StrategicMergePatch,
    );
    assert.deepEqual(
      strategic.spec?.template.spec?.containers.map((container) => container.name),
      ['side', 'web'],
    );
    const json = await patch(
      [
        { op: 'replace', path: '/spec/replicas', value: 5 },
        { op: 'remove', path: '/spec/template/spec/containers/0' },
      ],
      k8s.PatchStrategy.JsonPatch,
    );
    assert.deepEqual([json.spec?.replicas, json.spec?.template.spec?.containers.length], [5, 1]);

    const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'web' });
    scale.spec!.replicas = 1;
    assert.equal(
      (await apps.replaceNamespacedDeploymentScale({ namespace, name: 'web', body: scale })).spec?.replicas,
      1,
    );
    await apps.patchNamespacedDeploymentStatus(
      { namespace, name: 'web', body: { status: { replicas: 1 } } },
      k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch),
    );
    assert.equal((await apps.readNamespacedDeploymentStatus({ namespace, name: 'web' })).status?.replicas, 1);

    const deleted = await apps.deleteNamespacedDeployment({ namespace, name: 'web' });
    assert.equal(deleted.status, 'Success');
    assert.equal(await code(apps.readNamespacedDeployment({ namespace, name: 'web' })), 404);
  });

  it('keeps bytes and dates of secrets, leases and events', async () => {
    const secret = await core.createNamespacedSecret({
      namespace,
      body: { metadata: { name: 's' }, stringData: { word: 'grüße' } },
    });
    assert.equal(Buffer.from(secret.data!['word']!, 'base64').toString(), 'grüße');
    const leases = config.makeApiClient(k8s.CoordinationV1Api);
    const renewTime = new k8s.V1MicroTime('2024-05-01T10:00:00.123Z');
    const lease = await leases.createNamespacedLease({
      namespace,
      body: { metadata: { name: 'l' }, spec: { holderIdentity: 'me', leaseDurationSeconds: 10, renewTime } },
    });
    assert.equal(new Date(lease.spec!.renewTime!).getTime(), renewTime.getTime());
  });

  it('reports conflicts to who holds an old version', async () => {
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'c' }, data: { n: '0' } } });
    const [mine, theirs] = await Promise.all([
      core.readNamespacedConfigMap({ namespace, name: 'c' }),
      core.readNamespacedConfigMap({ namespace, name: 'c' }),
    ]);
    await core.replaceNamespacedConfigMap({ namespace, name: 'c', body: { ...theirs, data: { n: '1' } } });
    await assert.rejects(
      core.replaceNamespacedConfigMap({ namespace, name: 'c', body: { ...mine, data: { n: '2' } } }),
      (error: k8s.ApiException<string>) => {
        assert.equal(error.code, 409);
        assert.equal((JSON.parse(String(error.body)) as k8s.V1Status).reason, 'Conflict');
        return true;
      },
    );
    assert.equal(await code(core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'c' } } })), 409);

    await Promise.all(
      Array.from({ length: 5 }, async () => {
        for (let done = 0; done < 4;) {
          const read = await core.readNamespacedConfigMap({ namespace, name: 'c' });
          read.data = { n: String(Number(read.data!['n']) + 1) };
          if ((await code(core.replaceNamespacedConfigMap({ namespace, name: 'c', body: read }))) === 'success') done++;
        }
      }),
    );
    assert.equal((await core.readNamespacedConfigMap({ namespace, name: 'c' })).data?.['n'], '21');
  });

  it('lists in chunks', async () => {
    await Promise.all(
      Array.from({ length: 23 }, (_, i) =>
        core.createNamespacedConfigMap({
          namespace,
          body: { metadata: { name: `chunk-${i}`, labels: { set: 'chunks' } } },
        }),
      ),
    );
    const names: string[] = [];
    let token: string | undefined;
    const sizes: number[] = [];
    do {
      const list = await core.listNamespacedConfigMap({
        namespace,
        labelSelector: 'set=chunks',
        limit: 10,
        ...(token === undefined ? {} : { _continue: token }),
      });
      sizes.push(list.items.length);
      names.push(...list.items.map((item) => item.metadata!.name!));
      token = list.metadata?._continue;
    } while (token !== undefined && token !== '');
    assert.deepEqual(sizes, [10, 10, 3]);
    assert.equal(new Set(names).size, 23);
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'set=chunks' });
    assert.deepEqual((await core.listNamespacedConfigMap({ namespace, labelSelector: 'set=chunks' })).items, []);
  });

  it('handles objects of any kind from YAML', async () => {
    const objects = k8s.KubernetesObjectApi.makeApiClient(config);
    const specs = k8s.loadAllYaml(
      'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\nrules: []\n',
    ) as k8s.KubernetesObject[];
    for (const spec of specs) {
      const body = { ...spec, metadata: { ...spec.metadata!, name: spec.metadata!.name!, namespace } };
      assert.ok((await objects.create(body)).metadata?.uid);
      assert.equal((await objects.read(body)).kind, spec.kind);
      await objects.delete(body);
      assert.equal(await code(objects.read(body)), 404);
    }
  });

  it('watches', async () => {
    const list = await core.listNamespacedConfigMap({ namespace });
    const events: string[] = [];
    let ended: unknown;
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const request = await new k8s.Watch(config).watch(
      path,
      { resourceVersion: list.metadata!.resourceVersion!, allowWatchBookmarks: true, timeoutSeconds: 3 },
      (type, object: k8s.V1ConfigMap) => events.push(`${type} ${object.metadata?.name ?? ''}`.trim()),
      (error) => (ended = error ?? 'closed'),
    );
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'seen' } } });
    await core.deleteNamespacedConfigMap({ namespace, name: 'seen' });
    await until(() => ended !== undefined, 'the watch ends');
    assert.deepEqual(events, ['ADDED seen', 'DELETED seen', 'BOOKMARK']);
    request.abort();
  });

  it('an informer over restarts of the server misses nothing', async () => {
    const selector = 'set=informed';
    const informer = k8s.makeInformer(
      config,
      `/api/v1/namespaces/${namespace}/configmaps`,
      () => core.listNamespacedConfigMap({ namespace, labelSelector: selector }),
      selector,
    );
    const seen = new Map<string, string>();
    const record = (object: k8s.V1ConfigMap): void => {
      const name = object.metadata!.name!;
      const before = Number(seen.get(name) ?? 0);
      assert.ok(Number(object.data!['n']) >= before, `${name} went back from ${before} to ${object.data!['n']}`);
      seen.set(name, object.data!['n']!);
    };
    let stopped = false;
    let connections = 0;
    informer.on('add', record);
    informer.on('update', record);
    informer.on('delete', (object) => seen.delete(object.metadata!.name!));
    informer.on('connect', () => connections++);
    informer.on('error', () => {
      if (!stopped) setTimeout(() => void informer.start(), 100);
    });
    await informer.start();

    // Writers that go on whatever happens; `expected` holds what was acknowledged.
    const expected = new Map<string, string>();
    const writers = Array.from({ length: 4 }, async (_, worker) => {
      for (let n = 1; !stopped; n++) await advance(`informed-${worker}-${n % 7}`, n, expected);
    });
    const progress = async (): Promise<void> => {
      const target = new Map(expected);
      await until(
        () => [...target].every(([name, n]) => Number(seen.get(name) ?? Infinity) >= Number(n)),
        'the informer follows',
        20_000,
      );
    };
    await until(() => expected.size > 10, 'writes are acknowledged');
    for (const how of ['kill', 'restart', 'kill'] as const) {
      if (how === 'kill') await server.kill();
      await server.restart();
      await progress();
    }
    stopped = true;
    await Promise.all(writers);

    const list = await core.listNamespacedConfigMap({ namespace, labelSelector: selector });
    const final = new Map(list.items.map((item) => [item.metadata!.name!, item.metadata!.resourceVersion!]));
    const cached = (): Map<string, string> =>
      new Map(informer.list(namespace).map((item) => [item.metadata!.name!, item.metadata!.resourceVersion!]));
    await until(
      () => JSON.stringify([...cached()].sort()) === JSON.stringify([...final].sort()),
      'the informer has the final state',
      20_000,
    );
    for (const [name, n] of expected)
      assert.equal(list.items.find((item) => item.metadata!.name === name)?.data?.['n'], n, name);
    assert.ok(connections >= 4);
    await informer.stop();
  });

  /**
   * Brings the object to `n`: creates, updates, and every 13th time deletes it before. Repeats until the server has
   * acknowledged.
   */
  async function advance(name: string, n: number, expected: Map<string, string>): Promise<void> {
    const body = { metadata: { name, labels: { set: 'informed' } }, data: { n: String(n) } };
    for (;;) {
      try {
        const existing = await core.listNamespacedConfigMap({ namespace, fieldSelector: `metadata.name=${name}` });
        if (n % 13 === 0 && existing.items.length > 0) {
          expected.delete(name);
          await core.deleteNamespacedConfigMap({ namespace, name });
        } else if (existing.items.length > 0) await core.replaceNamespacedConfigMap({ namespace, name, body });
        else await core.createNamespacedConfigMap({ namespace, body });
        if (n % 13 !== 0 || existing.items.length === 0) expected.set(name, String(n));
        return;
      } catch {
        await sleep(50);
      }
    }
  }

  async function until(done: () => boolean, what: string, timeoutMs = 10_000): Promise<void> {
    for (const deadline = Date.now() + timeoutMs; !done();) {
      assert.ok(Date.now() < deadline, `not in time: ${what}`);
      await sleep(20);
    }
  }
});
