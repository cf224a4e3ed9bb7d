import assert from 'node:assert/strict';
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts';
import { deployment } from '../api/apps/deployment/deployment.ts';
import { lease } from '../api/coordination/lease/lease.ts';
import { configMap } from '../api/core/config-map/config-map.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { forbidden } from '../apimachinery/errors/status-error.ts';
import { refusal } from '../apimachinery/errors/status-error-testing.ts';
import { createObject } from './create-object.ts';
import { behind, hubObject, NOW, openRegistry, write, type Replica, type TestRegistry } from './registry-testing.ts';
import { OPTIMISTIC_LOCK_MESSAGE, updateObject, type UpdateRequest } from './update-object.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';

type Deployment = ApiObject & { spec: object; status: object };
type Data = ApiObject & { data?: Record<string, string> };

describe('updateObject', () => {
  let registry: TestRegistry;
  let stores: Replica;
  let other: Replica;
  let count = 0;

  before(async () => {
    registry = openRegistry([configMap, deployment, lease]);
    [stores, other] = [await registry.replica(), await registry.replica()];
  });
  after(() => registry.stop());

  async function fresh(metadata = {}): Promise<string> {
    const name = `m${++count}`;
    await createObject(
      stores('configmaps'),
      hubObject(configMap, { name, ...metadata }, { data: { a: '0' } }),
      write('v1'),
    );
    return name;
  }
  const update = (
    name: string,
    transform: (current: Data) => Data | Promise<Data>,
    more: Partial<UpdateRequest> = {},
    options: Parameters<typeof write>[2] = {},
    at: Replica = stores,
  ) =>
    updateObject(at('configmaps'), {
      ...write('v1', name, options),
      transform: (current) => transform(current?.privateObject() as Data),
      ...more,
    });
  const set =
    (value: string) =>
    (current: Data): Data => ({ ...current, data: { a: value } });
  const storedOf = async (name: string) => {
    const stored = await registry.store.get(`configmaps/n/${name}`);
    return stored === undefined
      ? undefined
      : (stores('configmaps').codec.decode(stored.value, stored.modRevision) as Data);
  };

  it('writes the result of the transform', async () => {
    const name = await fresh();
    const { object, created } = await update(name, set('1'));
    assert.equal(created, false);
    assert.deepEqual(await storedOf(name), object.object());
    assert.deepEqual([(object.object() as Data).data, object.object().metadata.creationTimestamp], [{ a: '1' }, NOW]);
  });

  it('writes nothing where nothing changes', async () => {
    const name = await fresh();
    const revision = await registry.store.currentRevision();
    const before = await storedOf(name);
    for (const same of [(c: Data) => c, set('0'), (c: Data) => ({ ...c, metadata: { ...c.metadata, labels: {} } })]) {
      const { object } = await update(name, same);
      assert.equal(String(object.revision), before!.metadata.resourceVersion);
    }
    assert.equal(await registry.store.currentRevision(), revision);
  });

  it('refuses an old version and takes the present one', async () => {
    const name = await fresh();
    const version = (await storedOf(name))!.metadata.resourceVersion!;
    const at = (resourceVersion: string, value: string) => (c: Data) => ({
      ...set(value)(c),
      metadata: { ...c.metadata, resourceVersion },
    });
    await update(name, at(version, '1'));
    await assert.rejects(
      update(name, at(version, '2')),
      refusal(409, `Operation cannot be fulfilled on configmaps "${name}": ${OPTIMISTIC_LOCK_MESSAGE}`),
    );
    assert.deepEqual((await storedOf(name))!.data, { a: '1' });
    for (const none of ['', '0']) assert.equal((await update(name, at(none, `with ${none}`))).created, false);
  });

  it('demands a version where the kind does', async () => {
    await createObject(
      stores('leases.coordination.k8s.io'),
      hubObject(lease, { name: 'l' }),
      write('coordination.k8s.io/v1'),
    );
    const run = (resourceVersion: string | undefined) =>
      updateObject(stores('leases.coordination.k8s.io'), {
        ...write('coordination.k8s.io/v1', 'l'),
        transform: (c) =>
          ({
            ...c!.privateObject(),
            metadata: { ...c!.privateObject().metadata, labels: { a: 'b' }, resourceVersion },
          }) as ApiObject,
      });
    await assert.rejects(
      run(undefined),
      refusal(
        422,
        /^leases\.coordination\.k8s\.io "l" is invalid: metadata\.resourceVersion: Invalid value: .*: must be specified for an update$/,
      ),
    );
  });

  it('applies its change to what another replica wrote meanwhile', async () => {
    const name = await fresh();
    let rounds = 0;
    const { object } = await update(name, async (current) => {
      if (++rounds === 1) await update(name, (c) => ({ ...c, data: { ...c.data, other: 'x' } }), {}, {}, other);
      return { ...current, data: { ...current.data, mine: 'y' } };
    });
    assert.equal(rounds, 2);
    assert.deepEqual((object.object() as Data).data, { a: '0', mine: 'y', other: 'x' });
    assert.deepEqual((await storedOf(name))!.data, { a: '0', mine: 'y', other: 'x' });
  });

  it('undoes the effects of plugins in an attempt that lost against another replica', async () => {
    const name = await fresh();
    let done = 0;
    let undone = 0;
    const plugin = {
      name: 'counting',
      async validate({ whenRefused }: AdmissionRequest) {
        whenRefused!(async () => void undone++);
        if (done++ === 0) await update(name, set('theirs'), {}, {}, other);
      },
    };
    await update(name, set('ours'), {}, { plugins: [plugin] });
    assert.deepEqual([done, undone], [2, 1]);
    assert.deepEqual((await storedOf(name))?.data, { a: 'ours' });
  });

  it('reports a conflict to a client with a version that another replica has replaced', async () => {
    const name = await fresh();
    const version = (await storedOf(name))!.metadata.resourceVersion;
    let rounds = 0;
    await assert.rejects(
      update(name, async (current) => {
        if (++rounds === 1) await update(name, set('other'), {}, {}, other);
        return { ...current, data: { a: 'mine' }, metadata: { ...current.metadata, resourceVersion: version } };
      }),
      refusal(409, /the object has been modified/),
    );
    assert.deepEqual((await storedOf(name))!.data, { a: 'other' });
  });

  describe('on a replica that is behind', () => {
    /** An update at a replica that knows the object as it was before another one set `theirs`. */
    async function late(transform: (current: Data, version: string) => Data, plugins: readonly AdmissionPlugin[] = []) {
      const name = await fresh();
      const known = await stores('configmaps').newest(`configmaps/n/${name}`);
      const version = String((await update(name, set('theirs'), {}, {}, other)).object.revision);
      const request = {
        ...write('v1', name, { plugins }),
        transform: (current: CachedObject | undefined) => transform(current?.privateObject() as Data, version),
      };
      const result = await updateObject(behind(stores('configmaps'), known), request).catch((error: Error) => error);
      return { result, data: (await storedOf(name))!.data };
    }

    it('accepts the version of the other replica', async () => {
      const { data } = await late((c, resourceVersion) => ({
        ...set('ours')(c),
        metadata: { ...c.metadata, resourceVersion },
      }));
      assert.deepEqual(data, { a: 'ours' });
    });

    it('writes what changes the stored state, though not the cached one', async () => {
      assert.deepEqual((await late(set('0'))).data, { a: '0' });
    });

    it('refuses only because of the newest state', async () => {
      const seen: unknown[] = [];
      const plugin = (name: string): AdmissionPlugin => ({
        name,
        validate({ oldObject }) {
          seen.push((oldObject as Data).data);
          if ((oldObject as Data).data!['a'] !== name)
            throw forbidden({ group: '', resource: 'configmaps' }, 'm', name);
        },
      });
      assert.deepEqual((await late(set('ours'), [plugin('theirs')])).data, { a: 'ours' });
      const { result, data } = await late(set('ours'), [plugin('never')]);
      assert.match((result as Error).message, /is forbidden: never$/);
      assert.deepEqual([data, seen], [{ a: 'theirs' }, [{ a: '0' }, { a: 'theirs' }, { a: '0' }, { a: 'theirs' }]]);
    });
  });

  it('finds nothing to update where another replica deleted', async () => {
    const name = await fresh();
    let rounds = 0;
    await assert.rejects(
      update(name, async (current) => {
        if (++rounds === 1)
          await registry.store.commit(`configmaps/n/${name}`, {
            expectRevision: Number(current.metadata.resourceVersion),
          });
        return set('1')(current);
      }),
      refusal(404, `configmaps "${name}" not found`),
    );
  });

  it('loses no update of many that run at once on two replicas', async () => {
    const name = await fresh();
    const add = (i: number) =>
      update(name, (c) => ({ ...c, data: { ...c.data, [`k${i}`]: 'x' } }), {}, {}, i % 2 === 0 ? stores : other);
    await Promise.all(Array.from({ length: 40 }, (_, i) => add(i)));
    assert.equal(Object.keys((await storedOf(name))!.data!).length, 41);
  });

  /** Admission that takes as long as the test chooses, the first `rounds` times. */
  function slowPlugin(rounds = 1): {
    name: string;
    entered: Promise<void>;
    answer(): void;
    asked: number;
    validate(): Promise<void>;
  } {
    let enter!: () => void;
    let answer!: () => void;
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
    });
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    return {
      name: 'slow',
      entered,
      answer,
      asked: 0,
      async validate() {
        enter();
        if (++this.asked <= rounds) await answered;
      },
    };
  }

  it('lets others write while admission of one takes long, which then sees what they wrote', async () => {
    const name = await fresh();
    const slow = slowPlugin();
    const waiting = update(name, (c) => ({ ...c, data: { ...c.data, slow: 'x' } }), {}, { plugins: [slow] });
    await slow.entered;
    await update(name, (c) => ({ ...c, data: { ...c.data, quick: 'y' } }));
    slow.answer();
    await waiting;
    assert.equal(slow.asked, 2);
    assert.deepEqual((await storedOf(name))!.data, { a: '0', quick: 'y', slow: 'x' });
  });

  it('loses no update of many whose admission takes long', async () => {
    const name = await fresh();
    const slow = slowPlugin(10);
    const many = Array.from({ length: 50 }, (_, i) =>
      update(name, (c) => ({ ...c, data: { ...c.data, [`k${i}`]: 'x' } }), {}, { plugins: [slow] }),
    );
    await slow.entered;
    slow.answer();
    await Promise.all(many);
    assert.equal(Object.keys((await storedOf(name))!.data!).length, 51);
  });

  it('updates what another write created while admission of its own creation took long', async () => {
    const slow = slowPlugin();
    const put = (value: string, plugins: readonly AdmissionPlugin[]) =>
      update(
        'raced',
        () => hubObject(configMap, { name: 'raced' }, { data: { a: value } }) as Data,
        { allowCreate: true },
        { plugins },
      );
    const waiting = put('slow', [slow]);
    await slow.entered;
    assert.equal((await put('quick', [])).created, true);
    slow.answer();
    assert.equal((await waiting).created, false);
    assert.deepEqual((await storedOf('raced'))!.data, { a: 'slow' });
  });

  it('shows admission a creation where it creates', async () => {
    const seen: unknown[] = [];
    const recorder: AdmissionPlugin = {
      name: 'recorder',
      validate: ({ operation, options }) => void seen.push([operation, options]),
    };
    const requestOptions = { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' };
    const put = () =>
      update(
        'shown',
        (c) => c ?? (hubObject(configMap, { name: 'shown' }) as Data),
        { allowCreate: true, requestOptions },
        { plugins: [recorder] },
      );
    await put();
    await put();
    assert.deepEqual(seen, [
      ['CREATE', { ...requestOptions, kind: 'CreateOptions' }],
      ['UPDATE', requestOptions],
    ]);
  });

  it('leaves nothing after a dry run', async () => {
    const name = await fresh();
    const revision = await registry.store.currentRevision();
    const { object } = await update(name, set('dry'), {}, { dryRun: true });
    assert.deepEqual((object.object() as Data).data, { a: 'dry' });
    assert.equal(await registry.store.currentRevision(), revision);
    assert.deepEqual(
      [
        (await storedOf(name))!.data,
        (stores('configmaps').cache.newest(`configmaps/n/${name}`)!.object() as Data).data,
      ],
      [{ a: '0' }, { a: '0' }],
    );
  });

  it('refuses what is invalid, and changes of immutable fields', async () => {
    const name = await fresh();
    await assert.rejects(
      update(name, (c) => ({ ...c, data: { '/': 'x' } })),
      refusal(422, /^ConfigMap "m\d+" is invalid: data\[\/\]: Invalid value: "\/"/),
    );
    await assert.rejects(
      update(name, (c) => ({ ...c, metadata: { ...c.metadata, uid: 'other' } })),
      refusal(422, /metadata\.uid: Invalid value: "other": field is immutable$/),
    );
    assert.deepEqual((await storedOf(name))!.data, { a: '0' });
  });

  it('checks the uid of the request', async () => {
    const name = await fresh();
    const uid = (await storedOf(name))!.metadata.uid!;
    await update(name, set('1'), { preconditionUid: uid });
    await assert.rejects(
      update(name, set('2'), { preconditionUid: 'other' }),
      refusal(409, new RegExp(`Precondition failed: UID in precondition: other, UID in object meta: ${uid}$`)),
    );
    await assert.rejects(
      update('absent', set('2'), { preconditionUid: 'other', allowCreate: true }),
      refusal(409, /UID in precondition: other, UID in object meta: $/),
    );
  });

  it('creates what is absent only where it may', async () => {
    const object = () => hubObject(configMap, { name: 'late' }, { data: { a: 'b' } }) as Data;
    const run = (allowCreate: boolean, metadata = {}) =>
      updateObject(stores('configmaps'), {
        ...write('v1', 'late'),
        allowCreate,
        transform: () => ({ ...object(), metadata: { ...object().metadata, ...metadata } }),
      });
    await assert.rejects(run(false), refusal(404, 'configmaps "late" not found'));
    await assert.rejects(run(true, { resourceVersion: '7' }), refusal(404, 'configmaps "late" not found'));
    const { created, object: made } = await run(true);
    assert.deepEqual([created, made.object().metadata.creationTimestamp], [true, NOW]);
  });

  it('removes an object that is being deleted when its last finalizer goes', async () => {
    const name = await fresh({ finalizers: ['example.com/a', 'example.com/b'] });
    const key = `configmaps/n/${name}`;
    const held = (await registry.store.get(key))!;
    const deleting = { ...stores('configmaps').codec.decode(held.value, held.modRevision) };
    deleting.metadata = { ...deleting.metadata, deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 };
    await registry.store.commit(key, {
      expectRevision: held.modRevision,
      value: stores('configmaps').codec.encode(deleting),
    });
    const without =
      (finalizers: string[]) =>
      (c: Data): Data => ({ ...c, metadata: { ...c.metadata, finalizers } });
    await update(name, without(['example.com/b']));
    assert.deepEqual((await storedOf(name))!.metadata.finalizers, ['example.com/b']);
    await update(name, without([]), {}, { dryRun: true });
    assert.notEqual(await storedOf(name), undefined);
    const { object } = await update(name, without([]));
    assert.equal(object.name, name);
    assert.equal(await storedOf(name), undefined);
  });

  describe('of parts', () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const run = (subresource: string, transform: (c: Deployment) => object) =>
      updateObject(stores('deployments.apps'), {
        ...write('apps/v1', 'd', { subresource }),
        transform: (c) => transform(c?.privateObject() as Deployment) as ApiObject,
      });
    const shape = async () => {
      const { metadata, spec, status } = (await stores('deployments.apps').newest(
        'deployments/n/d',
      ))!.object() as unknown as {
        metadata: { generation: number };
        spec: { replicas: number };
        status: { replicas?: number };
      };
      return [metadata.generation, spec.replicas, status.replicas];
    };

    it('keep to their part, and count generations of the specification alone', async () => {
      await createObject(
        stores('deployments.apps'),
        hubObject(deployment, { name: 'd' }, { spec: { selector: { matchLabels: { a: 'b' } }, template } }),
        write('apps/v1'),
      );
      const both = (c: Deployment) => ({
        ...c,
        spec: { ...c.spec, replicas: 7 },
        status: { ...c.status, replicas: 3 },
      });
      await run('status', both);
      assert.deepEqual(await shape(), [1, 1, 3]);
      await run('', (c) => ({ ...both(c), status: { replicas: 9 } }));
      assert.deepEqual(await shape(), [2, 7, 3]);
      await run('', (c) => ({ ...c, metadata: { ...c.metadata, labels: { x: 'y' } } }));
      assert.deepEqual(await shape(), [2, 7, 3]);
    });
  });
});
