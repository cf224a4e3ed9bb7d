import assert from 'node:assert/strict';
import { replicaSets } from '../../api/apps/tokens.ts';
import { pods } from '../../api/core/tokens.ts';
import { forbidden } from '../../apimachinery/errors/status-error.ts';
import type { ReplicaSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { replicaSetController } from './controller.ts';

const CONFIG = { workers: { replicaSet: 2 } } as ControllersConfig;
const labels = { app: 'web' };

describe('the replicaset controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());

  const start = (): Promise<void> => fixture.start(replicaSetController.create(fixture.context, CONFIG)!);
  const create = (replicas: number, more: Partial<ReplicaSet['spec']> = {}): Promise<ReplicaSet> =>
    fixture.client.create(replicaSets, {
      metadata: { name: 'web', namespace: 'ns' },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', resources: {} }] } },
        ...more,
      },
      status: { replicas: 0 },
    });
  const rest = (): Promise<void> => fixture.clock.advance(0);
  const list = async (): Promise<readonly Pod[]> => (await fixture.client.list(pods, { namespace: 'ns' })).items;
  const set = (): Promise<ReplicaSet> => fixture.client.get(replicaSets, { namespace: 'ns', name: 'web' });
  const scale = (replicas: number): Promise<unknown> =>
    fixture.client.patch(replicaSets, { namespace: 'ns', name: 'web' }, 'merge', { spec: { replicas } });
  const report = (name: string, status: object): Promise<unknown> =>
    fixture.client.patch(pods, { namespace: 'ns', name }, 'merge', { status }, { subresource: 'status' });
  const ready = (name: string, since = new Date(fixture.clock.wallMs()).toISOString()): Promise<unknown> =>
    report(name, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }] });

  it('creates as many pods as are wanted, of the template, and no more', async () => {
    await create(5);
    await start();
    const made = await list();
    assert.equal(made.length, 5);
    const [{ metadata, spec }] = made as [Pod];
    assert.equal(metadata.generateName, 'web-');
    const { uid } = (await set()).metadata;
    assert.deepEqual(metadata.ownerReferences, [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid, controller: true, blockOwnerDeletion: true },
    ]);
    assert.equal(spec.containers?.[0]?.name, 'main');
    const { status } = await set();
    assert.deepEqual([status.replicas, status.readyReplicas ?? 0, status.fullyLabeledReplicas], [5, 0, 5]);
    assert.deepEqual(fixture.errors, []);
  });

  it('replaces pods that end or are deleted', async () => {
    await create(2);
    await start();
    const [one, two] = (await list()) as [Pod, Pod];
    await report(one.metadata.name!, { phase: 'Failed' });
    await fixture.client.delete(pods, { namespace: 'ns', name: two.metadata.name! });
    await rest();
    const active = (await list()).filter(({ status }) => status.phase !== 'Failed');
    assert.equal(active.length, 2);
    assert.ok(!active.some(({ metadata }) => metadata.uid === two.metadata.uid));
  });

  it('deletes those first that are not ready', async () => {
    await create(4);
    await start();
    const all = await list();
    for (const { metadata } of all.slice(0, 2)) await ready(metadata.name!);
    await scale(2);
    await rest();
    assert.deepEqual(
      (await list()).map(({ metadata }) => metadata.name).sort(),
      all
        .slice(0, 2)
        .map(({ metadata }) => metadata.name)
        .sort(),
    );
  });

  it('adopts pods that it selects, and releases those that it does not any more', async () => {
    await fixture.client.create(pods, {
      metadata: { name: 'orphan', namespace: 'ns', labels },
      spec: { containers: [] },
      status: {},
    });
    await create(2);
    await start();
    const owners = async (name: string): Promise<unknown> =>
      (await fixture.client.get(pods, { namespace: 'ns', name })).metadata.ownerReferences?.length ?? 0;
    assert.deepEqual([(await list()).length, await owners('orphan')], [2, 1]);
    await fixture.client.patch(pods, { namespace: 'ns', name: 'orphan' }, 'merge', {
      metadata: { labels: { app: 'x' } },
    });
    await rest();
    assert.deepEqual([(await list()).length, await owners('orphan')], [3, 0]);
  });

  it('neither adopts nor releases pods that have ended or are being deleted', async () => {
    const orphan = { metadata: { name: 'orphan', namespace: 'ns', labels }, spec: { containers: [] }, status: {} };
    await fixture.client.create(pods, orphan);
    await report('orphan', { phase: 'Failed' });
    await create(2);
    await start();
    const [failed, going] = (await list()).filter(({ metadata }) => metadata.name !== 'orphan') as [Pod, Pod];
    await report(failed.metadata.name!, { phase: 'Failed' });
    for (const { metadata } of [failed, going])
      await fixture.client.patch(pods, { namespace: 'ns', name: metadata.name! }, 'merge', {
        metadata: { finalizers: ['x/y'] },
      });
    await fixture.client.delete(pods, { namespace: 'ns', name: going.metadata.name! });
    await rest();
    assert.equal((await set()).status.terminatingReplicas, 1);
    for (const { metadata } of [failed, going])
      await fixture.client.patch(pods, { namespace: 'ns', name: metadata.name! }, 'merge', {
        metadata: { labels: { app: 'x' } },
      });
    await rest();
    const owners = new Map(
      (await list()).map(({ metadata }) => [metadata.name, metadata.ownerReferences?.length ?? 0]),
    );
    assert.deepEqual(
      ['orphan', failed.metadata.name, going.metadata.name].map((name) => owners.get(name)),
      [0, 1, 1],
    );
    assert.deepEqual([(await set()).status.replicas, (await set()).status.terminatingReplicas], [2, 0]);
  });

  it('says in its status what keeps it from deleting pods', async () => {
    await create(2);
    await start();
    fixture.client.before = ({ verb, resource }) => {
      if (verb === 'delete' && resource === 'pods') throw forbidden({ group: '', resource: 'pods' }, 'a', 'kept');
    };
    await scale(1);
    await rest();
    const { reason, message } = (await set()).status.conditions![0]!;
    assert.deepEqual([reason, message], ['FailedDelete', 'unable to delete pods: pods "a" is forbidden: kept']);
  });

  it('counts related pods of a node by the other sets of its owner; a set without one has none', async () => {
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', controller: true };
    for (const [namespace, ownerReferences] of [
      ['owned', [deployment]],
      ['bare', undefined],
    ] as const) {
      const old = { ...labels, old: 'yes' };
      for (const [name, replicas, matchLabels] of [
        ['web', 2, labels],
        ['old', 1, old],
      ] as const)
        await fixture.client.create(replicaSets, {
          metadata: { name, namespace, ...(ownerReferences && { ownerReferences: [...ownerReferences] }) },
          spec: {
            replicas,
            selector: { matchLabels },
            template: { metadata: { labels: matchLabels }, spec: { containers: [] } },
          },
          status: { replicas: 0 },
        });
    }
    await start();
    for (const namespace of ['owned', 'bare']) {
      const all = (await fixture.client.list(pods, { namespace })).items;
      const own = all.filter(({ metadata }) => metadata.generateName === 'web-');
      const [other] = all.filter(({ metadata }) => metadata.generateName === 'old-');
      // By uid the first pod goes; by the node the second one, where another pod of the workload runs.
      own.sort((a, b) => (a.metadata.uid! < b.metadata.uid! ? -1 : 1));
      for (const [pod, nodeName] of [
        [own[0], 'a'],
        [own[1], 'b'],
        [other, 'b'],
      ] as const)
        await fixture.client.patch(pods, { namespace, name: pod!.metadata.name! }, 'merge', { spec: { nodeName } });
      await rest();
      await fixture.client.patch(replicaSets, { namespace, name: 'web' }, 'merge', { spec: { replicas: 1 } });
      await rest();
      const left = (await fixture.client.list(pods, { namespace })).items.filter(
        ({ metadata: { uid, deletionTimestamp } }) =>
          deletionTimestamp === undefined && own.some(({ metadata }) => metadata.uid === uid),
      );
      assert.deepEqual(
        left.map(({ spec }) => spec.nodeName),
        [namespace === 'owned' ? 'a' : 'b'],
      );
    }
  });

  it('counts a pod as available when it has been ready for long enough', async () => {
    await create(1, { minReadySeconds: 10 });
    await start();
    await ready((await list())[0]!.metadata.name!);
    await rest();
    assert.deepEqual([(await set()).status.readyReplicas, (await set()).status.availableReplicas ?? 0], [1, 0]);
    await fixture.clock.advance(10_000);
    assert.equal((await set()).status.availableReplicas, 1);
  });

  it('says in its status what keeps it from creating pods, after trying one alone', async () => {
    let tries = 0;
    fixture.client.before = ({ verb, resource }) => {
      if (verb !== 'create' || resource !== 'pods') return;
      tries++;
      throw forbidden({ group: '', resource: 'pods' }, '', 'exceeded quota');
    };
    await create(50);
    await start();
    const { status } = await set();
    assert.equal(status.conditions?.[0]?.reason, 'FailedCreate');
    assert.match(status.conditions?.[0]?.message ?? '', /exceeded quota/);
    assert.ok(tries < 10, String(tries));
  });

  it('creates nothing for a set that is being deleted', async () => {
    await create(1);
    await fixture.client.patch(replicaSets, { namespace: 'ns', name: 'web' }, 'merge', {
      metadata: { finalizers: ['x/y'] },
    });
    await fixture.client.delete(replicaSets, { namespace: 'ns', name: 'web' });
    await start();
    assert.equal((await list()).length, 0);
  });

  it('creates no second pod where a server ends before it answers that it has stored the first', async () => {
    await create(1);
    const recover = fixture.loseFirstPod();
    await start();
    await fixture.clock.advance(100);
    assert.equal((await list()).length, 1);
    recover();
    await fixture.clock.advance(60_000);
    assert.deepEqual([(await list()).length, (await set()).status.replicas], [1, 1]);
  });
});
