import assert from 'node:assert/strict';
import { deployment } from '../api/apps/deployment/deployment.ts';
import { configMap } from '../api/core/config-map/config-map.ts';
import { namespace } from '../api/core/namespace/namespace.ts';
import { pod } from '../api/core/pod/pod.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { refusal } from '../apimachinery/errors/status-error-testing.ts';
import { createObject } from './create-object.ts';
import { deleteObject } from './delete-object.ts';
import type { DeleteOptions } from './delete-options.ts';
import { behind, hubObject, NOW, openRegistry, write, type Replica, type TestRegistry } from './registry-testing.ts';
import { updateObject } from './update-object.ts';

describe('deleteObject', () => {
  let registry: TestRegistry;
  let stores: Replica;
  let other: Replica;
  let gone: string[] = [];
  let count = 0;

  before(async () => {
    registry = openRegistry([configMap, pod, deployment, namespace]);
    stores = await registry.replica({
      configmaps: {
        after: (object, old) => {
          if (object === undefined) gone.push(old!.metadata.name!);
          return Promise.resolve();
        },
      },
    });
    other = await registry.replica();
  });
  beforeEach(() => {
    gone = [];
  });
  after(() => registry.stop());

  async function map(metadata = {}): Promise<string> {
    const name = `m${++count}`;
    await createObject(stores('configmaps'), hubObject(configMap, { name, ...metadata }), write('v1'));
    return name;
  }
  const remove = (
    name: string,
    options: DeleteOptions = {},
    more: { dryRun?: boolean; plugins?: NonNullable<Parameters<typeof write>[2]>['plugins'] } = {},
    resource = 'configmaps',
    version = 'v1',
  ) =>
    deleteObject(stores(resource), {
      ...write(version, name, { ...more, ...(resource === 'namespaces' ? { namespace: '' } : {}) }),
      options,
    });
  const stored = async (key: string) => (await registry.store.get(key)) !== undefined;
  const metadataOf = async (name: string, resource = 'configmaps') =>
    (await stores(resource).newest(stores(resource).keyOf('n', name)))?.object().metadata;

  it('removes the object and answers with its last state, at the revision of the delete', async () => {
    const name = await map({ labels: { a: 'b' } });
    const before = await registry.store.currentRevision();
    const { removed, object } = await remove(name);
    assert.deepEqual([removed, object.name, object.object().metadata.labels], [true, name, { a: 'b' }]);
    assert.ok(object.revision > before);
    assert.equal(object.object().metadata.resourceVersion, String(object.revision));
    assert.equal(await stored(`configmaps/n/${name}`), false);
    assert.deepEqual(gone, [name]);
  });

  it('refuses what does not exist, also a second time', async () => {
    const name = await map();
    await remove(name);
    await assert.rejects(remove(name), refusal(404, `configmaps "${name}" not found`));
    await assert.rejects(remove('never'), refusal(404, 'configmaps "never" not found'));
  });

  it('lets one of many deletes remove it', async () => {
    const name = await map();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        deleteObject((i % 2 === 0 ? stores : other)('configmaps'), { ...write('v1', name), options: {} }),
      ),
    );
    assert.equal(outcomes.filter((o) => o.status === 'fulfilled').length, 1);
  });

  it('checks preconditions', async () => {
    const name = await map();
    const { uid, resourceVersion } = (await metadataOf(name))!;
    await assert.rejects(
      remove(name, { preconditions: { uid: 'other' } }),
      refusal(
        409,
        `Operation cannot be fulfilled on ConfigMap "${name}": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      ),
    );
    await assert.rejects(
      remove(name, { preconditions: { resourceVersion: '1' } }),
      refusal(
        409,
        `Operation cannot be fulfilled on ConfigMap "${name}": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
      ),
    );
    assert.equal(await stored(`configmaps/n/${name}`), true);
    assert.equal(
      (await remove(name, { preconditions: { uid: uid!, resourceVersion: resourceVersion! } })).removed,
      true,
    );
  });

  it('retries on what another replica wrote meanwhile', async () => {
    const name = await map();
    const { resourceVersion } = (await metadataOf(name))!;
    let admitted = 0;
    const plugins = [
      {
        name: 'p',
        async validate() {
          const late = String(++admitted);
          if (admitted <= 2)
            await updateObject(other('configmaps'), {
              ...write('v1', name),
              transform: (c) => ({ ...c!.privateObject(), data: { late } }) as ApiObject,
            });
        },
      },
    ];
    await assert.rejects(
      remove(name, { preconditions: { resourceVersion: resourceVersion! } }, { plugins }),
      refusal(409, /The object might have been modified$/),
    );
    const { object } = await remove(name, {}, { plugins });
    assert.deepEqual((object.object() as unknown as { data: object }).data, { late: '2' });
    assert.equal(admitted, 3, 'admission saw what was deleted');
  });

  it('checks preconditions on the newest state, and finds a running deletion in it, on a replica that is behind', async () => {
    const name = await map();
    const store = stores('configmaps');
    const known = await store.newest(store.keyOf('n', name));
    const { object } = await updateObject(other('configmaps'), {
      ...write('v1', name),
      transform: (c) => ({ ...c!.privateObject(), data: { a: 'b' } }) as ApiObject,
    });
    assert.equal(
      (
        await deleteObject(behind(store, known), {
          ...write('v1', name),
          options: { preconditions: { resourceVersion: String(object.revision) } },
        })
      ).removed,
      true,
    );
    const body = () =>
      hubObject(
        pod,
        { name: 'again' },
        { spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 30 } },
      );
    await createObject(stores('pods'), body(), write('v1'));
    const ending = (await remove('again', {}, {}, 'pods')).object;
    await deleteObject(other('pods'), { ...write('v1', 'again'), options: { gracePeriodSeconds: 0 } });
    await createObject(other('pods'), body(), write('v1'));
    await deleteObject(behind(stores('pods'), ending), { ...write('v1', 'again'), options: {} });
    assert.ok((await metadataOf('again', 'pods'))!.deletionTimestamp !== undefined);
  });

  it('is visible on the replica at once, whenever its event comes', async () => {
    const name = await map();
    const store = (await registry.replica())('configmaps');
    await store.cacher.stop();
    await deleteObject(store, { ...write('v1', name), options: {} });
    assert.deepEqual(
      [store.cache.get(store.keyOf('n', name))?.name, store.cache.newest(store.keyOf('n', name))],
      [name, undefined],
    );
  });

  it('changes nothing in a dry run', async () => {
    const name = await map({ finalizers: ['example.com/f'] });
    const plain = await map();
    const revision = await registry.store.currentRevision();
    assert.equal((await remove(plain, {}, { dryRun: true })).removed, true);
    const marked = await remove(name, {}, { dryRun: true });
    assert.deepEqual([marked.removed, marked.object.object().metadata.deletionTimestamp], [false, NOW]);
    assert.equal(await registry.store.currentRevision(), revision);
    assert.deepEqual([(await metadataOf(name))!.deletionTimestamp, gone], [undefined, []]);
  });

  it('runs admission before anything happens', async () => {
    const name = await map();
    await assert.rejects(
      remove(
        name,
        {},
        {
          plugins: [
            {
              name: 'p',
              validate: ({ oldObject }) => {
                throw new Error(`keep ${oldObject?.metadata.name}`);
              },
            },
          ],
        },
      ),
      { message: `keep ${name}` },
    );
    assert.equal(await stored(`configmaps/n/${name}`), true);
  });

  it('skips admission where a precondition fails, or a deletion is running already', async () => {
    const plugins = [{ name: 'p', validate: () => assert.fail('asked') }];
    const name = await map();
    await assert.rejects(
      remove(name, { preconditions: { uid: 'other' } }, { plugins }),
      refusal(409, /the UID in the precondition/),
    );
    await createObject(
      stores('namespaces'),
      hubObject(namespace, { name: 'ending' }),
      write('v1', '', { namespace: '' }),
    );
    await remove('ending', {}, {}, 'namespaces');
    assert.equal((await remove('ending', {}, { plugins }, 'namespaces')).removed, false);
  });

  it('shows admission the grace period', async () => {
    const seen: unknown[] = [];
    const plugins = [
      {
        name: 'p',
        validate: ({ options }: { options?: object }) => void seen.push((options as DeleteOptions).gracePeriodSeconds),
      },
    ];
    await createObject(
      stores('pods'),
      hubObject(
        pod,
        { name: 'unbound' },
        { spec: { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 30 } },
      ),
      write('v1'),
    );
    await remove('unbound', { gracePeriodSeconds: 7 }, { plugins }, 'pods');
    await remove(await map(), {}, { plugins });
    assert.deepEqual(seen, [0, undefined]);
  });

  describe('with finalizers', () => {
    it('marks the object once, and then leaves it unchanged', async () => {
      const name = await map({ finalizers: ['example.com/f'] });
      const { removed, object } = await remove(name);
      assert.deepEqual(
        [removed, object.object().metadata.deletionTimestamp, object.object().metadata.deletionGracePeriodSeconds],
        [false, NOW, 0],
      );
      const revision = await registry.store.currentRevision();
      assert.equal((await remove(name)).removed, false);
      assert.deepEqual([await registry.store.currentRevision(), gone], [revision, []]);
      await updateObject(stores('configmaps'), {
        ...write('v1', name),
        transform: (c) => ({ ...c!.privateObject(), metadata: { ...c!.privateObject().metadata, finalizers: [] } }),
      });
      assert.deepEqual([await stored(`configmaps/n/${name}`), gone], [false, [name]]);
    });

    const cases: readonly (readonly [options: DeleteOptions, before: string[], after: string[] | undefined])[] = [
      [{ propagationPolicy: 'Foreground' }, [], ['foregroundDeletion']],
      [{ propagationPolicy: 'Orphan' }, [], ['orphan']],
      [{ propagationPolicy: 'Background' }, [], undefined],
      [{ orphanDependents: true }, [], ['orphan']],
      [{ orphanDependents: false }, ['orphan'], undefined],
      [{ propagationPolicy: 'Background' }, ['foregroundDeletion'], undefined],
      [{ propagationPolicy: 'Orphan' }, ['foregroundDeletion', 'example.com/f'], ['example.com/f', 'orphan']],
      [{}, ['foregroundDeletion'], ['foregroundDeletion']],
      [{}, ['orphan'], ['orphan']],
    ];
    for (const [options, before, after] of cases) {
      it(`${JSON.stringify(options)} turns ${JSON.stringify(before)} into ${after === undefined ? 'a removal' : JSON.stringify(after)}`, async () => {
        const name = await map({ finalizers: before });
        const { removed } = await remove(name, options);
        assert.equal(removed, after === undefined);
        assert.deepEqual((await metadataOf(name))?.finalizers, after);
      });
    }
  });

  it('orphans dependents by default where old versions of a kind did', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    for (const [version, finalizers] of [
      ['apps/v1', undefined],
      ['apps/v1beta1', ['orphan']],
    ] as const) {
      const name = `d${++count}`;
      await createObject(
        stores('deployments.apps'),
        hubObject(deployment, { name }, { spec: { selector: { matchLabels: { a: 'b' } }, template } }),
        write('apps/v1'),
      );
      await remove(name, {}, {}, 'deployments.apps', version);
      assert.deepEqual((await metadataOf(name, 'deployments.apps'))?.finalizers, finalizers);
    }
  });

  describe('with a grace period', () => {
    async function boundPod(terminationGracePeriodSeconds = 30): Promise<string> {
      const name = `p${++count}`;
      await createObject(
        stores('pods'),
        hubObject(
          pod,
          { name },
          { spec: { nodeName: 'n1', terminationGracePeriodSeconds, containers: [{ name: 'c', image: 'i' }] } },
        ),
        write('v1'),
      );
      return name;
    }
    const removePod = (name: string, gracePeriodSeconds?: number) =>
      remove(name, gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }, {}, 'pods');
    const graceOf = async (name: string) => {
      const meta = await metadataOf(name, 'pods');
      return meta === undefined ? undefined : [meta.deletionTimestamp, meta.deletionGracePeriodSeconds];
    };

    it('sets the time until which the object runs, from its specification or the request', async () => {
      const [own, asked] = [await boundPod(), await boundPod()];
      assert.equal((await removePod(own)).removed, false);
      assert.deepEqual(await graceOf(own), ['2024-01-02T03:04:35Z', 30]);
      await removePod(asked, 5);
      assert.deepEqual(await graceOf(asked), ['2024-01-02T03:04:10Z', 5]);
      const [hasty, held] = [await boundPod(0), await boundPod(0)];
      assert.equal((await removePod(hasty)).removed, true);
      assert.equal((await removePod(held, 5)).removed, false);
      assert.deepEqual(await graceOf(held), ['2024-01-02T03:04:10Z', 5]);
    });

    it('shortens a running one, never lengthens it', async () => {
      const name = await boundPod();
      await removePod(name);
      const revision = await registry.store.currentRevision();
      for (const seconds of [undefined, 30, 60]) await removePod(name, seconds);
      assert.equal(await registry.store.currentRevision(), revision);
      await removePod(name, 10);
      assert.deepEqual(await graceOf(name), ['2024-01-02T03:04:15Z', 10]);
      assert.equal((await removePod(name, 0)).removed, true);
      assert.equal(await graceOf(name), undefined);
    });

    it('uses none where nothing runs', async () => {
      const name = `p${++count}`;
      await createObject(
        stores('pods'),
        hubObject(pod, { name }, { spec: { containers: [{ name: 'c', image: 'i' }] } }),
        write('v1'),
      );
      const { removed, object } = await removePod(name, 60);
      assert.deepEqual([removed, object.object().metadata.deletionGracePeriodSeconds], [true, 0]);
    });
  });

  it('keeps a namespace, terminating, until it is released', async () => {
    await createObject(stores('namespaces'), hubObject(namespace, { name: 'x' }), write('v1', '', { namespace: '' }));
    const { removed, object } = await remove('x', {}, {}, 'namespaces');
    assert.deepEqual(
      [
        removed,
        object.object().metadata.deletionTimestamp,
        (object.object() as unknown as { status: { phase: string } }).status.phase,
      ],
      [false, NOW, 'Terminating'],
    );
    const revision = await registry.store.currentRevision();
    assert.equal((await remove('x', {}, {}, 'namespaces')).removed, false);
    assert.equal(await registry.store.currentRevision(), revision);
    await updateObject(stores('namespaces'), {
      ...write('v1', 'x', { namespace: '', subresource: 'finalize' }),
      transform: (c) => ({ ...c!.privateObject(), spec: { finalizers: [] } }) as ApiObject,
    });
    assert.equal(await stored('namespaces/x'), false);
  });
});
