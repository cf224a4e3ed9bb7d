import assert from 'node:assert/strict';
import type { AdmissionPlugin, AdmissionRequest } from '../../admission/admission.ts';
import { deployment } from '../../api/apps/deployment/deployment.ts';
import { configMap } from '../../api/core/config-map/config-map.ts';
import { forbidden } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { createObject } from '../create-object.ts';
import { deleteObject } from '../delete-object.ts';
import { hubObject, openRegistry, write, type Replica, type TestRegistry } from '../registry-testing.ts';
import { updateObject, type UpdateRequest } from '../update-object.ts';
import { writeSteps } from './run-write.ts';

type Data = ApiObject & { data?: Record<string, string> };

describe('the write pipeline', () => {
  let registry: TestRegistry;
  let stores: Replica;
  let calls: string[];
  let count = 0;
  const dataOf = (object: ApiObject | undefined): string => (object as Data | undefined)?.data?.['a'] ?? '-';
  const note = (step: string, object: ApiObject | undefined, old: ApiObject | undefined): void =>
    void calls.push(`${step} ${dataOf(old)}>${dataOf(object)}`);

  const spy: AdmissionPlugin = {
    name: 'Spy',
    admit: ({ object, oldObject }) => note('admit', object, oldObject),
    validate: ({ object, oldObject, whenRefused }) => {
      note('validate', object, oldObject);
      whenRefused?.(() => Promise.resolve(void calls.push('undo')));
    },
  };
  const refuse: AdmissionPlugin = {
    name: 'Refuse',
    validate: () => {
      throw forbidden({ group: '', resource: 'configmaps' }, 'm', 'no');
    },
  };

  before(async () => {
    // A kind whose functions record when they run.
    const watched: typeof configMap = {
      ...configMap,
      prepareForCreate: (object: Data) => note('prepare', object, undefined),
      prepareForUpdate: (object: Data, old: Data) => note('prepare', object, old),
      warnings: (object: Data, old: Data | undefined) => [`${dataOf(old)} became ${dataOf(object)}`],
    };
    registry = openRegistry([watched, deployment]);
    stores = await registry.replica({
      configmaps: {
        reserve(object, old) {
          note('reserve', object, old);
          return Promise.resolve({
            confirm: () => void calls.push('confirm'),
            commit: () => void calls.push('keep'),
            rollback: () => void calls.push('give back'),
          });
        },
        after: (object, old) => Promise.resolve(note('after', object, old)),
      },
    });
  });
  beforeEach(() => {
    calls = [];
  });
  after(() => registry.stop());

  const request = (name: string, plugins = [spy], options: Parameters<typeof write>[2] = {}) => ({
    ...write('v1', name, { plugins, ...options }),
    notes: { warn: (text: string) => void calls.push(`warn ${text}`), annotate: () => undefined },
  });
  const made = async (): Promise<string> => {
    const name = `m${++count}`;
    await createObject(stores('configmaps'), hubObject(configMap, { name }, { data: { a: '0' } }), request(name));
    return name;
  };
  const set = (name: string, value: string, more: Partial<UpdateRequest> = {}) =>
    updateObject(stores('configmaps'), {
      ...request(name),
      transform: (current) => ({ ...(current!.privateObject() as Data), data: { a: value } }) as ApiObject,
      ...more,
    });

  it('has the steps of the decision record, in its order', () => {
    assert.deepEqual(
      writeSteps.map(({ name }) => name),
      [
        'transform',
        'sent-owners',
        'mutating-admission',
        'admitted-owners',
        'managed-fields',
        'preconditions',
        'reserve',
        'prepare',
        'validate',
        'warn',
        'validating-admission',
        'compare',
        'confirm',
        'commit',
        'after',
      ],
    );
  });

  it('shows new and old object to every step of create, update and delete', async () => {
    const name = await made();
    assert.deepEqual(calls, [
      'admit ->0',
      'reserve ->0',
      'prepare ->0',
      'warn - became 0',
      'validate ->0',
      'confirm',
      'after ->0',
      'keep',
    ]);
    calls = [];
    await set(name, '1');
    assert.deepEqual(calls, [
      'admit 0>1',
      'reserve 0>1',
      'prepare 0>1',
      'warn 0 became 1',
      'validate 0>1',
      'confirm',
      'after 0>1',
      'keep',
    ]);
    calls = [];
    await deleteObject(stores('configmaps'), { ...request(name), options: {} });
    assert.deepEqual(calls, ['admit 1>-', 'validate 1>-', 'after 1>-']);
  });

  it('ends where nothing changes, and keeps what it reserved', async () => {
    const name = await made();
    calls = [];
    await set(name, '0');
    assert.deepEqual(calls.slice(-2), ['validate 0>0', 'keep']);
  });

  it('releases everything when a later step refuses, the store included', async () => {
    const name = await made();
    for (const operation of ['create', 'update'] as const) {
      calls = [];
      const refused = request(operation === 'create' ? 'new' : name, [spy, refuse]);
      const running =
        operation === 'create'
          ? createObject(stores('configmaps'), hubObject(configMap, { name: 'new' }), refused)
          : set(name, '1', refused);
      await assert.rejects(running, /is forbidden: no/);
      assert.deepEqual(calls.slice(-2), ['undo', 'give back']);
    }
    assert.equal((await set(name, '0')).object.object().metadata.generation, undefined);
  });

  it('undoes an attempt that ended in a conflict and repeats all steps on the newer state', async () => {
    const name = await made();
    const other = await registry.replica();
    calls = [];
    let isFirst = true;
    const racing: AdmissionPlugin = {
      name: 'Racing',
      validate: async () => {
        if (!isFirst) return;
        isFirst = false;
        await updateObject(other('configmaps'), {
          ...write('v1', name),
          transform: (current) => ({ ...(current!.privateObject() as Data), data: { a: 'theirs' } }) as ApiObject,
        });
      },
    };
    await set(name, '1', request(name, [spy, racing]));
    const conflictAt = calls.indexOf('undo');
    assert.deepEqual(calls.slice(conflictAt, conflictAt + 3), ['undo', 'give back', 'admit theirs>1']);
    assert.deepEqual(calls.slice(-3), ['confirm', 'after theirs>1', 'keep']);
  });

  it('stores nothing on dry runs, and releases what was reserved', async () => {
    const name = await made();
    const revision = await registry.store.currentRevision();
    calls = [];
    await set(name, '1', request(name, [spy], { dryRun: true }));
    assert.deepEqual(calls.slice(-2), ['confirm', 'give back']);
    assert.equal(await registry.store.currentRevision(), revision);
  });

  it('reserves nothing and warns of nothing for subresources, except the scale', async () => {
    const object = hubObject(
      deployment,
      { name: 'd' },
      {
        spec: {
          replicas: 1,
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' }, annotations: { 'scheduler.alpha.kubernetes.io/critical-pod': '' } },
            spec: { containers: [{ name: 'c', image: 'i' }] },
          },
        },
      },
    );
    const on = (subresource: string) => ({ ...request('d', []), subresource });
    const apps = { context: { ...request('d').context, requestVersion: 'apps/v1' } };
    await createObject(stores('deployments.apps'), object, { ...on(''), ...apps });
    assert.equal(calls.length, 1);
    const change = async (subresource: string, change: (object: any) => void): Promise<number> => {
      calls = [];
      await updateObject(stores('deployments.apps'), {
        ...on(subresource),
        ...apps,
        transform: (current) => {
          const changed = current!.privateObject();
          change(changed);
          return changed;
        },
      });
      return calls.length;
    };
    assert.equal(await change('status', (o) => void (o.status.replicas = 1)), 0);
    assert.equal(await change('', (o) => void (o.metadata.labels = { x: 'y' })), 0);
    assert.equal(await change('', (o) => void (o.spec.minReadySeconds = 3)), 1);
    assert.equal(await change('scale', (o) => void (o.spec.replicas = 4)), 1);
  });

  it('keeps owners once that a plugin adds again, and says that it was after admission', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
    const adopt: AdmissionPlugin = {
      name: 'Adopt',
      admit: ({ object }) => void (object!.metadata.ownerReferences = [owner, ...object!.metadata.ownerReferences!]),
    };
    const name = `m${++count}`;
    const object = hubObject(configMap, { name, ownerReferences: [owner, owner] });
    calls = [];
    const created = await createObject(stores('configmaps'), object, request(name, [adopt]));
    assert.deepEqual(created.object().metadata.ownerReferences, [owner]);
    assert.deepEqual(
      calls.filter((call) => call.includes('owner')).map((call) => /contains (.*); API.*: (.*)$/.exec(call)!.slice(1)),
      [
        ['duplicate entries', 'u'],
        ['duplicate entries after mutating admission happens', 'u'],
      ],
    );
  });

  it('passes each round of admission the same new object', async () => {
    const seen: AdmissionRequest[] = [];
    const keep: AdmissionPlugin = {
      name: 'Keep',
      admit: (r) => void seen.push(r),
      validate: (r) => void seen.push(r),
    };
    const name = `m${++count}`;
    await createObject(stores('configmaps'), hubObject(configMap, { name }), request(name, [keep]));
    assert.equal(seen[0]!.object, seen[1]!.object);
  });
});
