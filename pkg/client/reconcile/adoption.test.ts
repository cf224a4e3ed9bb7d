import assert from 'node:assert/strict';
import { replicaSets } from '../../api/apps/tokens.ts';
import { pods } from '../../api/core/tokens.ts';
import { parseLabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { ReplicaSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { FakeClient } from '../testing/fake-client-testing.ts';
import { checkCanAdopt, claimObjects, type AdoptionOptions } from './adoption.ts';
import { controllerOf, controllerReference, ownerReference } from './owner-references.ts';

describe('claimObjects', () => {
  let client: FakeClient;
  let owner: ReplicaSet;
  let checks: number;
  beforeEach(() => {
    client = new FakeClient();
    checks = 0;
    owner = client.cluster.put(replicaSets, { metadata: { namespace: 'n', name: 'web' } } as ReplicaSet);
  });

  const pod = (name: string, app: string, metadata: Partial<ApiObject['metadata']> = {}): Pod =>
    client.cluster.put(pods, { metadata: { namespace: 'n', name, labels: { app }, ...metadata } } as Pod);
  const claim = async (more: Partial<AdoptionOptions<ReplicaSet, Pod>> = {}): Promise<string[]> => {
    const claimed = await claimObjects(client.cluster.all(pods), {
      client,
      ownerResource: replicaSets,
      owner,
      resource: pods,
      selector: parseLabelSelector('app=web'),
      canAdopt: () => (checks++, checkCanAdopt(client, replicaSets, owner)),
      ...more,
    });
    return claimed.map(({ metadata }) => metadata.name!);
  };
  const controllerNameOf = (name: string): string | undefined =>
    controllerOf(client.cluster.find(pods, { namespace: 'n', name })!)?.name;

  it('adopts what its selector has, releases what it has no more, and leaves what others control', async () => {
    const own = [controllerReference(replicaSets, owner)];
    const other = { metadata: { name: 'other', uid: 'other' } };
    pod('kept', 'web', { ownerReferences: own });
    pod('orphan', 'web');
    pod('orphan-too', 'web');
    pod('relabelled', 'api', { ownerReferences: [...own, ownerReference(replicaSets, other)] });
    pod('taken', 'web', { ownerReferences: [controllerReference(replicaSets, other)] });
    pod('stranger', 'api');
    pod('ending', 'web', { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/x'] });
    pod('elsewhere', 'web', { namespace: 'm' });
    assert.deepEqual(await claim(), ['kept', 'orphan', 'orphan-too']);
    assert.deepEqual([controllerNameOf('orphan'), controllerNameOf('relabelled')], ['web', undefined]);
    const released = client.cluster.find(pods, { namespace: 'n', name: 'relabelled' })!;
    assert.deepEqual(released.metadata.ownerReferences, [ownerReference(replicaSets, other)]);
    assert.deepEqual([checks, client.writes.length], [1, 3]);
  });

  it('brings and takes finalizers', async () => {
    const finalizers = ['batch.kubernetes.io/job-tracking'];
    pod('orphan', 'web', { finalizers: ['example.com/x'] });
    await claim({ finalizers });
    const adopted = client.cluster.find(pods, { namespace: 'n', name: 'orphan' })!;
    assert.deepEqual(adopted.metadata.finalizers?.toSorted(), ['batch.kubernetes.io/job-tracking', 'example.com/x']);
    client.cluster.put(pods, { ...adopted, metadata: { ...adopted.metadata, labels: {} } });
    await claim({ finalizers });
    const { metadata } = client.cluster.find(pods, { namespace: 'n', name: 'orphan' })!;
    assert.deepEqual([metadata.finalizers, metadata.ownerReferences ?? []], [['example.com/x'], []]);
  });

  it('adopts nothing for an owner that is being deleted, or is another one by now', async () => {
    pod('orphan', 'web');
    const fresh = owner;
    client.cluster.put(replicaSets, {
      ...owner,
      metadata: { ...owner.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    await assert.rejects(claim(), /ReplicaSet web is being deleted/);
    client.cluster.put(replicaSets, { ...owner, metadata: { ...owner.metadata, uid: 'new' } });
    await assert.rejects(claim(), /ReplicaSet web is another object by now/);
    owner = { ...fresh, metadata: { ...fresh.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    assert.deepEqual(await claim(), []);
    assert.equal(client.writes.length, 0);
  });

  it('fails where another owner was faster', async () => {
    const orphan = pod('orphan', 'web');
    const other = { metadata: { name: 'other', uid: 'other' } };
    client.before = ({ verb }) => {
      const ownerReferences = [controllerReference(replicaSets, other)];
      if (verb === 'patch') client.cluster.put(pods, { ...orphan, metadata: { ...orphan.metadata, ownerReferences } });
    };
    await assert.rejects(claim(), { code: 422 });
    assert.equal(controllerNameOf('orphan'), 'other');
  });

  it('takes objects that have gone or become others for none of its own', async () => {
    const gone = pod('gone', 'web');
    client.before = ({ verb }) => {
      if (verb === 'patch') client.cluster.remove(pods, { namespace: 'n', name: 'gone' });
    };
    assert.deepEqual(await claim(), []);
    client.before = () => undefined;
    pod('gone', 'web', { uid: 'new' });
    const claimed = claimObjects([gone], {
      client,
      ownerResource: replicaSets,
      owner,
      resource: pods,
      selector: parseLabelSelector('app=web'),
      canAdopt: () => Promise.resolve(),
    });
    await assert.rejects(claimed, { code: 422 });
    assert.equal(controllerNameOf('gone'), undefined);
  });
});
