import assert from 'node:assert/strict';
import type { AdmissionRequest } from '../admission/admission.ts';
import { configMap } from '../api/core/config-map/config-map.ts';
import { event } from '../api/core/event/event.ts';
import { deployment } from '../api/apps/deployment/deployment.ts';
import { internalError, type StatusError } from '../apimachinery/errors/status-error.ts';
import { refusal } from '../apimachinery/errors/status-error-testing.ts';
import { StoreUnavailableError } from '../storage/store-errors.ts';
import { createObject } from './create-object.ts';
import { hubObject, NOW, openRegistry, write, type Replica, type TestRegistry } from './registry-testing.ts';

describe('createObject', () => {
  let registry: TestRegistry;
  let stores: Replica;
  let calls: string[];
  /** What the hook of config maps does. */
  let reserving: () => void;
  let confirm: () => void;

  before(async () => {
    registry = openRegistry([configMap, deployment, event]);
    stores = await registry.replica({
      configmaps: {
        reserve(object, _old, dryRun) {
          calls.push(`begin ${object.metadata.name} ${dryRun}`);
          reserving();
          return Promise.resolve({
            confirm: () => confirm(),
            commit: () => void calls.push('commit'),
            rollback: () => void calls.push('rollback'),
          });
        },
      },
    });
  });
  beforeEach(() => {
    calls = [];
    reserving = () => undefined;
    confirm = () => undefined;
  });
  after(() => registry.stop());

  const map = (name: string, metadata = {}) => hubObject(configMap, { name, ...metadata }, { data: { a: 'b' } });
  const create = (object: ReturnType<typeof map>, options?: Parameters<typeof write>[2]) =>
    createObject(stores('configmaps'), object, write('v1', '', options));

  it('stores the object with the fields that only the server sets', async () => {
    const made = await create(
      map('a', {
        uid: 'mine',
        selfLink: '/x',
        deletionTimestamp: NOW,
        deletionGracePeriodSeconds: 5,
        labels: { l: 'v' },
      }),
    );
    const { uid, ...metadata } = made.object().metadata;
    assert.match(uid ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    assert.deepEqual(metadata, {
      name: 'a',
      namespace: 'n',
      resourceVersion: String(made.revision),
      creationTimestamp: NOW,
      labels: { l: 'v' },
    });
    const stored = await registry.store.get('configmaps/n/a');
    assert.equal(stored?.modRevision, made.revision);
    assert.deepEqual(stores('configmaps').codec.decode(stored.value, made.revision), made.object());
    assert.deepEqual(calls, ['begin a false', 'commit']);
  });

  it('undoes the effects of plugins when the object is not stored, last first', async () => {
    const undone: string[] = [];
    const plugin = (name: string) => ({
      name,
      validate: ({ whenRefused }: AdmissionRequest) => whenRefused!(async () => void undone.push(name)),
    });
    const plugins = [plugin('first'), plugin('second')];
    await create(map('undo'), { plugins });
    assert.deepEqual(undone, []);
    await assert.rejects(create(map('undo'), { plugins }), refusal(409, 'configmaps "undo" already exists'));
    assert.deepEqual(undone, ['second', 'first']);
    const refusing = { name: 'no', validate: () => Promise.reject(new Error('no')) };
    await assert.rejects(create(map('undo2'), { plugins: [plugin('third'), refusing] }), /no/);
    assert.deepEqual(undone, ['second', 'first', 'third']);
  });

  it('starts kinds that have one at generation 1, without a status', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const body = hubObject(
      deployment,
      { name: 'd', generation: 9 },
      { spec: { selector: { matchLabels: { a: 'b' } }, template }, status: { replicas: 5 } },
    );
    const made = (await createObject(stores('deployments.apps'), body, write('apps/v1'))).object() as unknown as {
      metadata: { generation: number };
      status: object;
    };
    assert.deepEqual([made.metadata.generation, made.status], [1, {}]);
  });

  it('is seen at once by this process, and by another', async () => {
    const made = await create(map('seen'));
    assert.equal(stores('configmaps').cache.newest('configmaps/n/seen'), made);
    const other = await registry.replica();
    assert.equal((await other('configmaps').newest('configmaps/n/seen'))?.revision, made.revision);
  });

  it('refuses a name that is taken, by any server', async () => {
    await create(map('taken'));
    await assert.rejects(create(map('taken')), refusal(409, 'configmaps "taken" already exists'));
    await registry.store.commit('configmaps/n/elsewhere', {
      expectRevision: 0,
      value: stores('configmaps').codec.encode(map('elsewhere')),
    });
    await assert.rejects(create(map('elsewhere')), refusal(409, 'configmaps "elsewhere" already exists'));
    await assert.rejects(create(map('taken'), { dryRun: true }), refusal(409, 'configmaps "taken" already exists'));
    assert.equal(calls.at(-1), 'rollback');
  });

  it('lets one of many concurrent creates have the name', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => create(map('race'))));
    assert.equal(outcomes.filter((o) => o.status === 'fulfilled').length, 1);
    assert.equal(calls.filter((c) => c === 'commit').length, 1);
    assert.equal(calls.filter((c) => c === 'rollback').length, 19);
  });

  it('generates names', async () => {
    const made = await create(map('', { generateName: 'gen-' }));
    assert.match(made.name, /^gen-[a-z0-9]{5}$/);
    await assert.rejects(
      create(map(made.name, { generateName: 'gen-' })),
      (e) =>
        refusal(409, /the server was not able to generate a unique name/)(e) &&
        (e as StatusError).status.details?.retryAfterSeconds === 1,
    );
  });

  it('leaves nothing after a dry run', async () => {
    const revision = await registry.store.currentRevision();
    const made = await create(map('dry'), { dryRun: true });
    assert.deepEqual([made.object().metadata.resourceVersion, made.object().metadata.name], [undefined, 'dry']);
    assert.deepEqual(
      [
        await registry.store.get('configmaps/n/dry'),
        await registry.store.currentRevision(),
        stores('configmaps').cache.newest('configmaps/n/dry'),
      ],
      [undefined, revision, undefined],
    );
    assert.deepEqual(calls, ['begin dry true', 'rollback']);
  });

  it('refuses what is invalid and releases what was taken', async () => {
    await assert.rejects(
      create(map('Not_A_Name')),
      refusal(422, /^ConfigMap "Not_A_Name" is invalid: metadata\.name: Invalid value: "Not_A_Name": /),
    );
    await assert.rejects(
      create(map('')),
      refusal(422, /metadata\.name: Required value: name or generateName is required/),
    );
    assert.deepEqual(
      calls.filter((c) => c === 'rollback' || c === 'commit'),
      ['rollback', 'rollback'],
    );
    assert.deepEqual(
      (await registry.keys('configmaps/')).filter((k) => k.includes('Not')),
      [],
    );
  });

  it('refuses a version, but not in a dry run', async () => {
    await assert.rejects(
      create(map('v', { resourceVersion: '5' })),
      refusal(500, 'resourceVersion should not be set on objects to be created'),
    );
    assert.equal(
      (await create(map('v', { resourceVersion: '5' }), { dryRun: true })).object().metadata.resourceVersion,
      undefined,
    );
    await create(map('v', { resourceVersion: '0' }));
  });

  it('runs admission before anything is taken, and again before it is stored', async () => {
    const seen: string[] = [];
    const plugins = [
      {
        name: 'p',
        admit: ({ object }: { object: unknown }) => {
          seen.push('admit');
          (object as { data: Record<string, string> }).data['added'] = 'x';
        },
        validate: ({ object }: { object: unknown }) =>
          void seen.push(`validate ${JSON.stringify((object as { data: object }).data)}`),
      },
    ];
    const made = await create(map('admitted'), { plugins });
    assert.deepEqual(seen, ['admit', 'validate {"a":"b","added":"x"}']);
    assert.equal((made.object() as unknown as { data: Record<string, string> }).data['added'], 'x');
    calls = [];
    await assert.rejects(
      create(map('refused'), {
        plugins: [
          {
            name: 'p',
            admit: () => {
              throw new Error('no');
            },
          },
        ],
      }),
      { message: 'no' },
    );
    assert.deepEqual(calls, []);
    await assert.rejects(
      create(map('refused'), {
        plugins: [
          {
            name: 'p',
            validate: () => {
              throw new Error('no');
            },
          },
        ],
      }),
      { message: 'no' },
    );
    assert.deepEqual(calls, ['begin refused false', 'rollback']);
    assert.equal(await registry.store.get('configmaps/n/refused'), undefined);
  });

  it('writes nothing where its reservation was released', async () => {
    confirm = () => {
      throw internalError('too late');
    };
    await assert.rejects(create(map('late')), /too late/);
    assert.deepEqual(calls, ['begin late false', 'rollback']);
    assert.equal(await stores('configmaps').newest(stores('configmaps').keyOf('n', 'late')), undefined);
  });

  it('keeps what was taken where the result is unknown', async () => {
    const store = stores('configmaps');
    for (const [ambiguous, after] of [
      [true, []],
      [false, ['rollback']],
    ] as const) {
      calls = [];
      const failing = Object.create(store, {
        commit: { value: () => Promise.reject(new StoreUnavailableError('gone', { ambiguous })) },
      }) as typeof store;
      await assert.rejects(createObject(failing, map('maybe'), write('v1')), StoreUnavailableError);
      assert.deepEqual(calls.slice(1), after);
    }
  });

  it('sets the lifetime of kinds that expire', async () => {
    const short = openRegistry([event], { eventTtlSeconds: 1 });
    const events = (await short.replica())('events');
    const body = hubObject(event, { name: 'e' }, { involvedObject: { namespace: 'n' }, regarding: { namespace: 'n' } });
    await createObject(events, body, write('v1'));
    for (let i = 0; i < 60 && (await short.keys('events/')).length > 0; i++)
      await new Promise((resolve) => void setTimeout(resolve, 50));
    assert.deepEqual(await short.keys('events/'), []);
    await short.stop();
  });
});
