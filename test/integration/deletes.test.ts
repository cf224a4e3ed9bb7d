/**
 * Deletes: preconditions, finalizers, grace periods, dependents, collections; the life of a namespace.
 */
import assert from 'node:assert/strict';
import { assertFailure, configMap, createConfigMaps, namesOf, onEachStore } from './on-each-store.ts';

const pod = (name: string, more: object = {}): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...more },
});

onEachStore('deletes', ['--delete-collection-workers=3'], (suite) => {
  const pathOf = async (resource: string, root = '/api/v1'): Promise<string> =>
    `${root}/namespaces/${await suite.namespace()}/${resource}`;

  it('answer with a Status that names what is gone', async () => {
    const path = await pathOf('configmaps');
    const { uid } = (await suite.client.post(path, configMap('a'))).json.metadata;
    const answer = await suite.client.delete(`${path}/a`);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid },
    });
    const status = assertFailure(await suite.client.delete(`${path}/a`), 404, 'NotFound', /^configmaps "a" not found$/);
    assert.deepEqual(status.details, { name: 'a', kind: 'configmaps' });
  });

  it('of one object at once succeed once', async () => {
    const path = await pathOf('configmaps');
    await suite.client.post(path, configMap('a'));
    const answers = await Promise.all(Array.from({ length: 8 }, () => suite.client.delete(`${path}/a`)));
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, ...Array.from({ length: 7 }, () => 404)]);
  });

  it('hold to preconditions', async () => {
    const path = await pathOf('configmaps');
    const { uid, resourceVersion } = (await suite.client.post(path, configMap('a'))).json.metadata;
    assertFailure(
      await suite.client.delete(`${path}/a`, { preconditions: { uid: 'other' } }),
      409,
      'Conflict',
      /the UID in the precondition \(other\) does not match the UID in record/,
    );
    assertFailure(
      await suite.client.delete(`${path}/a`, { preconditions: { resourceVersion: '1' } }),
      409,
      'Conflict',
      /the ResourceVersion in the precondition \(1\) does not match/,
    );
    assert.equal((await suite.client.delete(`${path}/a`, { preconditions: { uid, resourceVersion } })).status, 200);
  });

  describe('finalizers', () => {
    it('hold an object until the last is gone', async () => {
      const path = await pathOf('configmaps');
      const created = (
        await suite.client.post(path, { metadata: { name: 'a', finalizers: ['example.com/one', 'example.com/two'] } })
      ).json;
      const watch = suite.client.watch(`${path}?watch=1&resourceVersion=${created.metadata.resourceVersion}`);
      const answer = await suite.client.delete(`${path}/a`);
      assert.equal(answer.status, 200);
      assert.equal(answer.json.kind, 'ConfigMap', 'what is not gone yet is shown');
      assert.ok(answer.json.metadata.deletionTimestamp);
      assert.equal(answer.json.metadata.deletionGracePeriodSeconds, 0);
      const again = await suite.client.delete(`${path}/a`);
      assert.equal(again.json.metadata.deletionTimestamp, answer.json.metadata.deletionTimestamp);
      assertFailure(
        await suite.client.patch(`${path}/a`, 'merge', {
          metadata: { finalizers: ['example.com/one', 'example.com/two', 'example.com/three'] },
        }),
        422,
        'Invalid',
        /no new finalizers can be added if the object is being deleted/,
      );
      assert.equal(
        (await suite.client.patch(`${path}/a`, 'merge', { metadata: { finalizers: ['example.com/two'] } })).status,
        200,
      );
      const last = await suite.client.patch(`${path}/a`, 'merge', { metadata: { finalizers: [] } });
      assert.equal(last.status, 200);
      assertFailure(await suite.client.get(`${path}/a`), 404, 'NotFound');
      assert.deepEqual(
        (await watch.until((seen) => seen.some((event) => event.type === 'DELETED'))).map((event) => event.type),
        ['MODIFIED', 'MODIFIED', 'DELETED'],
      );
      watch.close();
    });
  });

  describe('dependents', () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const workload = (name: string): object => ({
      metadata: { name },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    });

    it('propagationPolicy becomes a finalizer, in query or body', async () => {
      const path = await pathOf('replicasets', '/apis/apps/v1');
      const cases = [
        ['?propagationPolicy=Orphan', undefined, 'orphan'],
        ['', { propagationPolicy: 'Foreground' }, 'foregroundDeletion'],
        ['?orphanDependents=true', undefined, 'orphan'],
        ['', { orphanDependents: true }, 'orphan'],
      ] as const;
      for (const [i, [query, body, finalizer]] of cases.entries()) {
        const created = await suite.client.post(path, workload(`w-${i}`));
        assert.equal(created.status, 201, created.body.toString());
        const answer = await suite.client.delete(`${path}/w-${i}${query}`, body);
        assert.equal(answer.status, 200);
        const left = (await suite.client.get(`${path}/w-${i}`)).json;
        assert.deepEqual(left.metadata.finalizers, [finalizer]);
        assert.ok(left.metadata.deletionTimestamp);
        assert.equal(
          (await suite.client.patch(`${path}/w-${i}`, 'merge', { metadata: { finalizers: null } })).status,
          200,
        );
        assertFailure(await suite.client.get(`${path}/w-${i}`), 404, 'NotFound');
      }
    });

    it('Background and orphanDependents=false remove at once', async () => {
      const path = await pathOf('replicasets', '/apis/apps/v1');
      for (const [i, query] of ['?propagationPolicy=Background', '?orphanDependents=false', ''].entries()) {
        await suite.client.post(path, workload(`w-${i}`));
        assert.equal((await suite.client.delete(`${path}/w-${i}${query}`)).status, 200);
        assertFailure(await suite.client.get(`${path}/w-${i}`), 404, 'NotFound');
      }
    });

    it('older versions orphan by default', async () => {
      const path = await pathOf('replicasets', '/apis/extensions/v1beta1');
      await suite.client.post(path, workload('w'));
      assert.equal((await suite.client.delete(`${path}/w`)).status, 200);
      assert.deepEqual((await suite.client.get(`${path}/w`)).json.metadata.finalizers, ['orphan']);
    });

    it('both options together are refused', async () => {
      const path = await pathOf('configmaps');
      await suite.client.post(path, configMap('a'));
      assertFailure(
        await suite.client.delete(`${path}/a?propagationPolicy=Orphan&orphanDependents=true`),
        422,
        'Invalid',
      );
      assertFailure(
        await suite.client.delete(`${path}/a`, { propagationPolicy: 'Background', orphanDependents: false }),
        422,
        'Invalid',
        /orphanDependents and deletionPropagation cannot be both set/,
      );
      assertFailure(
        await suite.client.delete(`${path}/a?propagationPolicy=Sideways`),
        422,
        'Invalid',
        /Unsupported value: "Sideways"/,
      );
      assert.equal((await suite.client.get(`${path}/a`)).status, 200);
    });
  });

  describe('grace', () => {
    const bound = { nodeName: 'node-1' };

    it('a bound pod stays until its node agent is done', async () => {
      const path = await pathOf('pods');
      await suite.client.post(path, pod('a', bound));
      const answer = await suite.client.delete(`${path}/a`);
      assert.equal(answer.json.kind, 'Pod');
      const { deletionTimestamp, deletionGracePeriodSeconds } = answer.json.metadata;
      assert.equal(deletionGracePeriodSeconds, 30);
      assert.ok(Math.abs(Date.parse(deletionTimestamp) - Date.now() - 30_000) < 5000);
      const shorter = await suite.client.delete(`${path}/a?gracePeriodSeconds=5`);
      assert.equal(shorter.json.metadata.deletionGracePeriodSeconds, 5);
      assert.equal(
        (await suite.client.delete(`${path}/a?gracePeriodSeconds=20`)).json.metadata.deletionGracePeriodSeconds,
        5,
        'never longer again',
      );
      assert.equal((await suite.client.delete(`${path}/a`, { gracePeriodSeconds: 0 })).status, 200);
      assertFailure(await suite.client.get(`${path}/a`), 404, 'NotFound');
    });

    it('0 removes at once, and a pod without a node needs none', async () => {
      const path = await pathOf('pods');
      await suite.client.post(path, pod('a', bound));
      await suite.client.post(path, pod('b'));
      assert.equal((await suite.client.delete(`${path}/a?gracePeriodSeconds=0`)).status, 200);
      assert.equal((await suite.client.delete(`${path}/b`)).status, 200);
      assert.deepEqual(namesOf((await suite.client.get(path)).json), []);
    });
  });

  describe('of collections', () => {
    it('remove what is selected', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 11);
      const answer = await suite.client.delete(`${path}?labelSelector=parity%3Deven`);
      assert.equal(answer.status, 200);
      assert.deepEqual([answer.json.kind, answer.json.items.length], ['ConfigMapList', 6]);
      assert.deepEqual(namesOf((await suite.client.get(path)).json), ['a-001', 'a-003', 'a-005', 'a-007', 'a-009']);
      assert.equal((await suite.client.delete(`${path}?fieldSelector=metadata.name%3Da-003`)).status, 200);
      assert.equal((await suite.client.get(path)).json.items.length, 4);
      assert.equal((await suite.client.delete(path)).status, 200);
      assert.deepEqual((await suite.client.get(path)).json.items, []);
    });

    it('take options, and leave other namespaces alone', async () => {
      const [one, two] = [await suite.namespace(), await suite.namespace()];
      const path = await createConfigMaps(suite, one, 'a', 3);
      const other = await createConfigMaps(suite, two, 'a', 3);
      assert.equal((await suite.client.delete(path, { propagationPolicy: 'Orphan' })).status, 200);
      for (const item of (await suite.client.get(path)).json.items)
        assert.deepEqual(item.metadata.finalizers, ['orphan']);
      assert.equal((await suite.client.get(other)).json.items.length, 3);
    });

    it('wake every watcher', async () => {
      const path = await createConfigMaps(suite, await suite.namespace(), 'a', 30);
      const watch = suite.client.watch(
        `${path}?watch=1&resourceVersion=${(await suite.client.get(path)).json.metadata.resourceVersion}`,
      );
      assert.equal((await suite.client.delete(path)).status, 200);
      const events = await watch.until((seen) => seen.length === 30);
      assert.deepEqual([...new Set(events.map((event) => event.type))], ['DELETED']);
      watch.close();
    });
  });

  describe('namespaces', () => {
    it('end when their content and their finalizers are gone', async () => {
      const name = await suite.namespace();
      const path = `/api/v1/namespaces/${name}`;
      const created = (await suite.client.get(path)).json;
      assert.deepEqual(
        [created.status.phase, created.spec.finalizers, created.metadata.labels],
        ['Active', ['kubernetes'], { 'kubernetes.io/metadata.name': name }],
      );
      await suite.client.post(`${path}/configmaps`, configMap('a'));
      const answer = await suite.client.delete(path);
      assert.deepEqual([answer.status, answer.json.kind, answer.json.status.phase], [200, 'Namespace', 'Terminating']);
      const status = assertFailure(
        await suite.client.post(`${path}/configmaps`, configMap('b')),
        403,
        'Forbidden',
        /because it is being terminated/,
      );
      assert.equal(status.details.causes[0].reason, 'NamespaceTerminating');
      // What is there may still change and go.
      assert.equal((await suite.client.patch(`${path}/configmaps/a`, 'merge', { data: { k: 'v' } })).status, 200);
      assert.equal((await suite.client.delete(`${path}/configmaps/a`)).status, 200);

      const now = (await suite.client.get(path)).json;
      const plain = (await suite.client.put(path, { ...now, spec: { finalizers: [] } })).json;
      assert.deepEqual(plain.spec.finalizers, ['kubernetes'], 'only finalize changes them');
      const finalized = await suite.client.put(`${path}/finalize`, { ...plain, spec: { finalizers: [] } });
      assert.equal(finalized.status, 200);
      assertFailure(await suite.client.get(path), 404, 'NotFound');
    });

    it('have to exist', async () => {
      assertFailure(
        await suite.client.post('/api/v1/namespaces/nowhere/configmaps', configMap('a')),
        404,
        'NotFound',
        /namespaces "nowhere" not found/,
      );
      assert.deepEqual((await suite.client.get('/api/v1/namespaces/nowhere/configmaps')).json.items, []);
    });

    it('of the system stay', async () => {
      const names = namesOf((await suite.client.get('/api/v1/namespaces')).json);
      for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
        assert.ok(names.includes(name), name);
      for (const name of ['default', 'kube-system', 'kube-public'])
        assertFailure(
          await suite.client.delete(`/api/v1/namespaces/${name}`),
          403,
          'Forbidden',
          /this namespace may not be deleted/,
        );
    });
  });
});
