/** Creates and updates: names, versions, dry run, status, scale, export. */
import assert from 'node:assert/strict';
import { assertFailure, configMap, createConfigMaps, namesOf, onEachStore } from './on-each-store.ts';

const deployment = (name: string, replicas = 1): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
  },
});

onEachStore('writes', [], (suite) => {
  const configMapsOf = async (): Promise<string> => `/api/v1/namespaces/${await suite.namespace()}/configmaps`;
  const deploymentsOf = async (): Promise<string> => `/apis/apps/v1/namespaces/${await suite.namespace()}/deployments`;

  describe('optimistic concurrency', () => {
    it('lets one of two writers of one version win', async () => {
      const path = await configMapsOf();
      const { metadata } = (await suite.client.post(path, configMap('a'))).json;
      const put = (value: string): Promise<any> =>
        suite.client.put(`${path}/a`, { ...configMap('a', { value }), metadata });
      const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => put(String(i))));
      assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, ...Array.from({ length: 9 }, () => 409)]);
      for (const answer of answers.filter((a) => a.status === 409))
        assertFailure(
          answer,
          409,
          'Conflict',
          /the object has been modified; please apply your changes to the latest version and try again/,
        );
      const won = answers.findIndex((answer) => answer.status === 200);
      assert.equal((await suite.client.get(`${path}/a`)).json.data.value, String(won));
    });

    it('merges patches that name no version, and refuses stale ones that do', async () => {
      const path = await configMapsOf();
      const created = (await suite.client.post(path, configMap('a'))).json;
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          suite.client.patch(`${path}/a`, i % 2 === 0 ? 'merge' : 'strategic', { data: { [`k${i}`]: 'v' } }),
        ),
      );
      assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
      assert.equal(Object.keys((await suite.client.get(`${path}/a`)).json.data).length, 20);
      const stale = { metadata: { resourceVersion: created.metadata.resourceVersion }, data: { k0: 'x' } };
      assertFailure(await suite.client.patch(`${path}/a`, 'merge', stale), 409, 'Conflict');
    });

    it('an update without a version overwrites', async () => {
      const path = await configMapsOf();
      await suite.client.post(path, configMap('a', { old: 'x' }));
      const answer = await suite.client.put(`${path}/a`, configMap('a', { new: 'y' }));
      assert.deepEqual([answer.status, answer.json.data], [200, { new: 'y' }]);
    });

    it('a wrong uid is a conflict', async () => {
      const path = await configMapsOf();
      await suite.client.post(path, configMap('a'));
      assertFailure(
        await suite.client.put(`${path}/a`, { metadata: { name: 'a', uid: '00000000-0000-0000-0000-000000000000' } }),
        409,
        'Conflict',
        /UID in precondition/,
      );
    });

    it('an update that changes nothing keeps the version and sends no event', async () => {
      const path = await deploymentsOf();
      const created = (await suite.client.post(path, deployment('a'))).json;
      const watch = suite.client.watch(`${path}?watch=1&resourceVersion=${created.metadata.resourceVersion}`);
      const same = await suite.client.put(`${path}/a`, created);
      assert.equal(same.json.metadata.resourceVersion, created.metadata.resourceVersion);
      assert.equal(
        (await suite.client.patch(`${path}/a`, 'merge', { spec: { replicas: 1 } })).json.metadata.resourceVersion,
        created.metadata.resourceVersion,
      );
      await suite.client.patch(`${path}/a`, 'merge', { spec: { replicas: 2 } });
      const [event] = await watch.until((seen) => seen.length > 0);
      assert.equal(event!.object.spec.replicas, 2);
      watch.close();
    });
  });

  describe('names', () => {
    it('exist once', async () => {
      const path = await configMapsOf();
      const answers = await Promise.all(Array.from({ length: 8 }, () => suite.client.post(path, configMap('a'))));
      assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, 409, 409, 409, 409, 409, 409, 409]);
      const status = assertFailure(
        answers.find((answer) => answer.status === 409)!,
        409,
        'AlreadyExists',
        /^configmaps "a" already exists$/,
      );
      assert.deepEqual(status.details, { name: 'a', kind: 'configmaps' });
    });

    it('are made from generateName', async () => {
      const path = await configMapsOf();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => suite.client.post(path, { metadata: { generateName: 'made-' } })),
      );
      const names = answers.map((answer) => answer.json.metadata.name);
      assert.equal(new Set(names).size, 20);
      for (const name of names) assert.match(name, /^made-[a-z0-9]{5}$/);
      assert.equal(answers[0]!.json.metadata.generateName, 'made-');
      assertFailure(
        await suite.client.post(path, { metadata: {} }),
        422,
        'Invalid',
        /name or generateName is required/,
      );
      const long = (await suite.client.post(path, { metadata: { generateName: 'x'.repeat(70) } })).json;
      assert.equal(long.metadata.name.length, 63);
    });
  });

  it("metadata is the server's", async () => {
    const path = await configMapsOf();
    const metadata = {
      name: 'a',
      uid: 'mine',
      resourceVersion: '',
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      selfLink: '/x',
    };
    const created = (await suite.client.post(path, { metadata })).json.metadata;
    assert.match(created.uid, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.ok(Math.abs(Date.parse(created.creationTimestamp) - Date.now()) < 60_000);
    for (const key of ['deletionTimestamp', 'selfLink']) assert.equal(created[key], undefined, key);
    const changed = (await suite.client.put(`${path}/a`, { metadata: { name: 'a', selfLink: '/x' }, data: { k: 'v' } }))
      .json.metadata;
    assert.deepEqual(
      [changed.uid, changed.creationTimestamp, changed.selfLink],
      [created.uid, created.creationTimestamp, undefined],
    );
    const dated = await suite.client.put(`${path}/a`, {
      metadata: { name: 'a', creationTimestamp: metadata.creationTimestamp },
    });
    assert.equal(dated.json.metadata.creationTimestamp, created.creationTimestamp);
    const ending = { metadata: { name: 'a', deletionTimestamp: metadata.deletionTimestamp } };
    assertFailure(
      await suite.client.put(`${path}/a`, ending),
      422,
      'Invalid',
      /metadata\.deletionTimestamp: Invalid value: .*: field is immutable/,
    );
    assertFailure(
      await suite.client.post(path, { metadata: { name: 'b', resourceVersion: '1' } }),
      500,
      undefined,
      /resourceVersion should not be set on objects to be created/,
    );
  });

  it('path and body have to agree', async () => {
    const path = await configMapsOf();
    assertFailure(
      await suite.client.post(path, { metadata: { name: 'a', namespace: 'default' } }),
      400,
      'BadRequest',
      /the namespace of the provided object does not match the namespace sent on the request/,
    );
    await suite.client.post(path, configMap('a'));
    assertFailure(
      await suite.client.put(`${path}/a`, configMap('b')),
      400,
      'BadRequest',
      /the name of the object \(b\) does not match the name on the URL \(a\)/,
    );
  });

  it('a namespace that a body names for something cluster-wide counts for nothing', async () => {
    const [roles, metadata] = [
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      { name: `wide-${await suite.namespace()}`, namespace: 'elsewhere' },
    ];
    const created = await suite.client.post(roles, { metadata });
    assert.deepEqual([created.status, created.json.metadata.namespace], [201, undefined]);
    const changed = await suite.client.put(`${roles}/${metadata.name}`, { metadata, rules: [] });
    const patched = await suite.client.patch(`${roles}/${metadata.name}`, 'merge', {
      metadata: { namespace: 'elsewhere', labels: { a: 'b' } },
    });
    assert.deepEqual(
      [changed, patched].map(({ status, json }) => [status, json.metadata.namespace]),
      [
        [200, undefined],
        [200, undefined],
      ],
    );
  });

  describe('dryRun=All', () => {
    it('answers as the write would and writes nothing', async () => {
      const path = await deploymentsOf();
      const from = (await suite.client.get(path)).json.metadata.resourceVersion;
      const created = await suite.client.post(`${path}?dryRun=All`, deployment('ghost'));
      assert.equal(created.status, 201);
      assert.ok(created.json.metadata.uid);
      assert.equal(created.json.spec.strategy.type, 'RollingUpdate');
      assertFailure(await suite.client.get(`${path}/ghost`), 404, 'NotFound');

      const real = (await suite.client.post(path, deployment('real'))).json;
      const patched = await suite.client.patch(`${path}/real?dryRun=All`, 'merge', { spec: { replicas: 9 } });
      assert.deepEqual([patched.status, patched.json.spec.replicas], [200, 9]);
      const put = await suite.client.put(`${path}/real?dryRun=All`, { ...deployment('real', 8) });
      assert.equal(put.json.spec.replicas, 8);
      assert.equal((await suite.client.delete(`${path}/real?dryRun=All`)).status, 200);
      assert.equal((await suite.client.delete(`${path}?dryRun=All`)).status, 200);
      assert.deepEqual((await suite.client.get(`${path}/real`)).json, real);

      const watch = suite.client.watch(`${path}?watch=1&resourceVersion=${from}`);
      await suite.client.patch(`${path}/real`, 'merge', { metadata: { labels: { end: 'yes' } } });
      assert.deepEqual(
        (await watch.until((seen) => seen.length === 2)).map((event) => event.type),
        ['ADDED', 'MODIFIED'],
      );
      watch.close();
    });

    it('fails as the write would', async () => {
      const path = await configMapsOf();
      await suite.client.post(path, configMap('a'));
      assertFailure(await suite.client.post(`${path}?dryRun=All`, configMap('a')), 409, 'AlreadyExists');
      assertFailure(await suite.client.post(`${path}?dryRun=All`, configMap('A_b')), 422, 'Invalid');
      assertFailure(await suite.client.put(`${path}/none?dryRun=All`, configMap('none')), 404, 'NotFound');
      assertFailure(
        await suite.client.post(`${path}?dryRun=Some`, configMap('b')),
        422,
        'Invalid',
        /Unsupported value/,
      );
    });

    it('takes no service address', async () => {
      const path = `/api/v1/namespaces/${await suite.namespace()}/services`;
      const body = { metadata: { name: 's' }, spec: { clusterIP: '10.0.0.7', ports: [{ port: 80 }] } };
      assert.equal((await suite.client.post(`${path}?dryRun=All`, body)).status, 201);
      assert.equal((await suite.client.post(path, body)).status, 201);
      assert.equal((await suite.client.delete(`${path}/s`)).status, 200);
    });
  });

  it('status and spec have paths of their own', async () => {
    const path = await deploymentsOf();
    const created = (
      await suite.client.post(path, {
        ...deployment('a', 3),
        metadata: { name: 'a', generation: 7 },
        status: { replicas: 9, readyReplicas: 9 },
      })
    ).json;
    assert.deepEqual([created.status.replicas ?? 0, created.metadata.generation], [0, 1]);
    const spec = (
      await suite.client.put(`${path}/a`, {
        ...created,
        spec: { ...created.spec, replicas: 4 },
        status: { replicas: 7 },
      })
    ).json;
    assert.deepEqual([spec.spec.replicas, spec.status.replicas ?? 0, spec.metadata.generation], [4, 0, 2]);
    const status = (
      await suite.client.put(`${path}/a/status`, {
        ...spec,
        metadata: { ...spec.metadata, labels: { sneaky: 'yes' } },
        spec: { ...spec.spec, replicas: 50 },
        status: { replicas: 4, observedGeneration: 2 },
      })
    ).json;
    assert.deepEqual([status.spec.replicas, status.status.replicas, status.metadata.generation], [4, 4, 2]);
    assert.equal((await suite.client.get(`${path}/a/status`)).json.status.replicas, 4);
    const patched = (
      await suite.client.patch(`${path}/a/status`, 'merge', { spec: { replicas: 1 }, status: { readyReplicas: 2 } })
    ).json;
    assert.deepEqual([patched.spec.replicas, patched.status.readyReplicas, patched.status.replicas], [4, 2, 4]);
    const label = (await suite.client.patch(`${path}/a`, 'merge', { metadata: { labels: { x: 'y' } } })).json;
    assert.deepEqual([label.metadata.generation, label.status.readyReplicas], [2, 2]);
  });

  it('scale reads and sets replicas', async () => {
    const namespace = await suite.namespace();
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { replicas: 2, selector: { matchLabels: { app: 'a' } }, template };
    const scalable: [string, object][] = [
      [`/apis/apps/v1/namespaces/${namespace}/deployments`, spec],
      [`/apis/apps/v1/namespaces/${namespace}/replicasets`, spec],
      [`/apis/apps/v1/namespaces/${namespace}/statefulsets`, { ...spec, serviceName: 's' }],
      [`/api/v1/namespaces/${namespace}/replicationcontrollers`, { ...spec, selector: { app: 'a' } }],
    ];
    for (const [path, body] of scalable) {
      assert.equal((await suite.client.post(path, { metadata: { name: 'a' }, spec: body })).status, 201, path);
      const scale = (await suite.client.get(`${path}/a/scale`)).json;
      assert.deepEqual(
        [scale.kind, scale.apiVersion, scale.spec.replicas, scale.status.selector],
        ['Scale', 'autoscaling/v1', 2, 'app=a'],
        path,
      );
      assert.equal(
        (await suite.client.put(`${path}/a/scale`, { ...scale, spec: { replicas: 5 } })).json.spec.replicas,
        5,
      );
      assert.equal((await suite.client.get(`${path}/a`)).json.spec.replicas, 5);
      assertFailure(await suite.client.put(`${path}/a/scale`, { ...scale, spec: { replicas: 6 } }), 409, 'Conflict');
      assert.equal(
        (await suite.client.patch(`${path}/a/scale`, 'merge', { spec: { replicas: 0 } })).json.spec.replicas ?? 0,
        0,
      );
      assertFailure(
        await suite.client.patch(`${path}/a/scale`, 'merge', { spec: { replicas: -1 } }),
        422,
        'Invalid',
        /must be greater than or equal to 0/,
      );
      assert.equal((await suite.client.get(`${path}/a`)).json.metadata.generation, 3);
    }
    const old = (await suite.client.get(`/apis/extensions/v1beta1/namespaces/${namespace}/replicasets/a/scale`)).json;
    assert.deepEqual(
      [old.apiVersion, old.status.targetSelector, old.status.selector],
      ['extensions/v1beta1', 'app=a', { app: 'a' }],
    );
    assertFailure(
      await suite.client.get(`/apis/apps/v1/namespaces/${namespace}/deployments/none/scale`),
      404,
      'NotFound',
    );
  });

  it('export strips what a user cannot set', async () => {
    const path = await deploymentsOf();
    await suite.client.post(path, deployment('a'));
    const exported = (await suite.client.get(`${path}/a?export=true`)).json;
    for (const key of ['uid', 'resourceVersion', 'generation', 'namespace', 'managedFields'])
      assert.equal(exported.metadata[key], undefined, key);
    assert.equal(exported.metadata.creationTimestamp, undefined);
    assert.equal(exported.metadata.name, 'a');
    const exact = (await suite.client.get(`${path}/a?export=true&exact=true`)).json;
    assert.match(exact.metadata.namespace, /^ns-/);
    assert.equal(
      (await suite.client.post(`${path}?dryRun=All`, { ...exported, metadata: { ...exported.metadata, name: 'b' } }))
        .status,
      201,
    );
  });

  it('field validation ignores, warns or refuses', async () => {
    const path = await configMapsOf();
    const body = (name: string): object => ({ ...configMap(name), surprise: 1, metadata: { name, colour: 'blue' } });
    const warned = await suite.client.post(`${path}?fieldValidation=Warn`, body('warn'));
    assert.equal(warned.status, 201);
    assert.match(String(warned.headers['warning']), /unknown field \\"metadata\.colour\\"/);
    assert.match(String(warned.headers['warning']), /unknown field \\"surprise\\"/);
    assert.equal(
      (await suite.client.post(`${path}?fieldValidation=Ignore`, body('ignore'))).headers['warning'],
      undefined,
    );
    assertFailure(
      await suite.client.post(`${path}?fieldValidation=Strict`, body('strict')),
      400,
      'BadRequest',
      /unknown field "surprise"/,
    );
    assertFailure(
      await suite.client.post(
        `${path}?fieldValidation=Strict`,
        '{"metadata":{"name":"a"},"data":{"k":"1"},"data":{"k":"2"}}',
      ),
      400,
      'BadRequest',
      /duplicate field "data"/,
    );
  });

  it('keys of every sort are data', async () => {
    const path = await configMapsOf();
    // An annotation's name begins and ends with a letter or digit, so that it cannot be __proto__.
    const some = '"constructor":"c","toString":"t","hasOwnProperty":"h"';
    const created = await suite.client.post(
      path,
      `{"metadata":{"name":"keys","annotations":{${some}}},"data":{"__proto__":"p",${some}}}`,
    );
    assert.equal(created.status, 201);
    const watch = suite.client.watch(`${path}?watch=1`);
    await watch.until((seen) => seen.length === 1);
    for (const read of [
      created.body,
      (await suite.client.get(`${path}/keys`)).body,
      (await suite.client.get(path)).body,
    ]) {
      for (const key of ['constructor', 'toString', 'hasOwnProperty'])
        assert.equal(read.toString().split(`"${key}":`).length - 1, 2, `${key} in ${read.toString()}`);
      assert.match(read.toString(), /"__proto__":"p"/);
    }
    const patched = await suite.client.send('PATCH', `${path}/keys`, {
      body: '{"data":{"__proto__":"q"}}',
      contentType: 'application/merge-patch+json',
    });
    assert.match(patched.body.toString(), /"__proto__":"q"/);
    watch.close();
  });

  it('lists agree with what was written', async () => {
    const namespace = await suite.namespace();
    const path = await createConfigMaps(suite, namespace, 'a', 40);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => suite.client.delete(`${path}/a-${String(i * 2).padStart(3, '0')}`)),
    );
    assert.deepEqual(
      namesOf((await suite.client.get(path)).json),
      Array.from({ length: 20 }, (_, i) => `a-${String(i * 2 + 1).padStart(3, '0')}`),
    );
  });
});
