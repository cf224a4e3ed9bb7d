import assert from 'node:assert/strict';
import { controllerRevisions, statefulSets } from '../../api/apps/tokens.ts';
import { events, persistentVolumeClaims, pods } from '../../api/core/tokens.ts';
import { forbidden } from '../../apimachinery/errors/status-error.ts';
import type { ControllerRevision, StatefulSet } from '../../generated/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { statefulSetController } from './controller.ts';

const CONFIG = { workers: { statefulSet: 2 } } as ControllersConfig;
const labels = { app: 'db' };
const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';
const name = { namespace: 'ns', name: 'db' };
const template = (image: string): StatefulSet['spec']['template'] => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image, resources: {} }] },
});

/** The test says when pods become ready. */
describe('the stateful set controller', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    await fixture.start(statefulSetController.create(fixture.context, CONFIG)!);
  });
  afterEach(async () => {
    await fixture.stop();
    assert.deepEqual(fixture.errors, []);
  });

  const create = async (spec: Partial<StatefulSet['spec']> = {}): Promise<void> => {
    await fixture.client.create(statefulSets, {
      metadata: name,
      spec: {
        replicas: 3,
        serviceName: 'db',
        selector: { matchLabels: labels },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        template: template('app:1'),
        ...spec,
      },
      status: { replicas: 0, availableReplicas: 0 },
    });
    await rest();
  };
  const rest = (): Promise<void> => fixture.clock.advance(0);
  const get = (): Promise<StatefulSet> => fixture.client.get(statefulSets, name);
  const patch = async (spec: object): Promise<void> => {
    await fixture.client.patch(statefulSets, name, 'merge', { spec });
    await rest();
  };
  const allPods = async (): Promise<readonly Pod[]> => (await fixture.client.list(pods, { namespace: 'ns' })).items;
  /** `name image`, in the order of names. */
  const shown = async (): Promise<string> =>
    (await allPods())
      .map(({ metadata, spec }) => `${metadata.name} ${spec.containers?.[0]?.image}`)
      .sort()
      .join(', ');
  const revisions = async (): Promise<readonly ControllerRevision[]> =>
    (await fixture.client.list(controllerRevisions, { namespace: 'ns' })).items;
  const claims = async (): Promise<readonly PersistentVolumeClaim[]> =>
    (await fixture.client.list(persistentVolumeClaims, { namespace: 'ns' })).items;

  /** Events of a verb: `reason count note`. */
  const said = async (verb: string): Promise<readonly string[]> =>
    (await fixture.client.list(events, { namespace: 'ns' })).items
      .filter(({ reason }) => reason?.endsWith(verb))
      .map(({ reason, count, message }) => `${reason} ${count} ${message}`)
      .sort();

  async function setReady(pod: string, phase = 'Running', ready = 'True'): Promise<void> {
    const now = new Date(fixture.clock.wallMs()).toISOString();
    const conditions = [{ type: 'Ready', status: ready, lastProbeTime: null, lastTransitionTime: now }];
    const status = { phase, conditions };
    await fixture.client.patch(pods, { namespace: 'ns', name: pod }, 'merge', { status }, { subresource: 'status' });
    await rest();
  }

  /** Makes pods ready until nothing changes; those that were deleted at each step. */
  async function settle(): Promise<void> {
    for (let round = 0; round < 50; round++) {
      const waiting = (await allPods()).find(({ status }) => status.phase !== 'Running');
      if (waiting === undefined) return;
      await setReady(waiting.metadata.name!);
    }
    assert.fail('no end');
  }

  it('creates pods in order, each when the ones before it serve', async () => {
    await create();
    assert.equal(await shown(), 'db-0 app:1');
    await setReady('db-0');
    assert.equal(await shown(), 'db-0 app:1, db-1 app:1');
    await settle();
    assert.equal(await shown(), 'db-0 app:1, db-1 app:1, db-2 app:1');
    const [revision, ...others] = await revisions();
    assert.equal(others.length, 0);
    assert.equal(revision!.metadata.labels?.['controller.kubernetes.io/hash'], revision!.metadata.name!.slice(3));
    const { status } = await get();
    assert.deepEqual(status, {
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: revision!.metadata.name,
      updateRevision: revision!.metadata.name,
      collisionCount: 0,
    });
    const { metadata, spec } = (await allPods()).find((pod) => pod.metadata.name === 'db-1')!;
    assert.deepEqual(metadata.labels, {
      app: 'db',
      'apps.kubernetes.io/pod-index': '1',
      'controller-revision-hash': revision!.metadata.name,
      'statefulset.kubernetes.io/pod-name': 'db-1',
    });
    assert.deepEqual([spec.hostname, spec.subdomain, metadata.generateName], ['db-1', 'db', 'db-']);
  });

  it('scales down from the highest ordinal', async () => {
    await create();
    await settle();
    await patch({ replicas: 1 });
    assert.equal(await shown(), 'db-0 app:1');
    const deleted = fixture.requests.filter(({ verb }) => verb === 'delete').map((call) => call.name);
    assert.deepEqual(deleted, ['db-2', 'db-1']);
  });

  it('creates and deletes all at once where pods are managed in parallel', async () => {
    await create({ podManagementPolicy: 'Parallel' });
    assert.equal(await shown(), 'db-0 app:1, db-1 app:1, db-2 app:1');
    await patch({ replicas: 0 });
    assert.equal(await shown(), '');
  });

  it('rolls out down to the partition, and back to the revision that it has', async () => {
    await create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
    await settle();
    await patch({ template: template('app:2') });
    await settle();
    assert.equal(await shown(), 'db-0 app:1, db-1 app:1, db-2 app:2');
    await fixture.client.delete(pods, { namespace: 'ns', name: 'db-0' });
    await rest();
    await settle();
    assert.equal(await shown(), 'db-0 app:1, db-1 app:1, db-2 app:2');
    await patch({ updateStrategy: { rollingUpdate: { partition: 0 } } });
    await settle();
    assert.equal(await shown(), 'db-0 app:2, db-1 app:2, db-2 app:2');
    await patch({ template: template('app:1') });
    await settle();
    const numbers = (await revisions()).map(({ revision }) => revision).sort();
    assert.deepEqual(numbers, [2, 3]);
    const { status } = await get();
    assert.equal(status.currentRevision, status.updateRevision);
  });

  it('replaces one pod at a time, and up to maxUnavailable where that is set', async () => {
    await create();
    await settle();
    await patch({ template: template('app:2') });
    assert.equal((await allPods()).filter(({ status }) => status.phase !== 'Running').length, 1);
    await settle();
    await patch({
      podManagementPolicy: 'Parallel',
      template: template('app:3'),
      updateStrategy: { rollingUpdate: { maxUnavailable: 2 } },
    });
    assert.equal(await shown(), 'db-0 app:2, db-1 app:3, db-2 app:3');
  });

  it('leaves pods alone until they are deleted where the strategy says so', async () => {
    await create({ updateStrategy: { type: 'OnDelete' } });
    await settle();
    await patch({ template: template('app:2') });
    assert.equal(await shown(), 'db-0 app:1, db-1 app:1, db-2 app:1');
    await fixture.client.delete(pods, { namespace: 'ns', name: 'db-1' });
    await rest();
    assert.equal(await shown(), 'db-0 app:1, db-1 app:2, db-2 app:1');
  });

  it('stays with a broken revision in order, and repairs it in parallel', async () => {
    await create();
    await patch({ template: template('app:2') });
    assert.equal(await shown(), 'db-0 app:1');
    await patch({ podManagementPolicy: 'Parallel' });
    await settle();
    assert.equal(await shown(), 'db-0 app:2, db-1 app:2, db-2 app:2');
  });

  it('replaces pods that have ended', async () => {
    await create();
    await settle();
    await setReady('db-1', 'Failed', 'False');
    await settle();
    assert.equal(await shown(), 'db-0 app:1, db-1 app:1, db-2 app:1');
    assert.equal((await get()).status.readyReplicas, 3);
  });

  it('numbers pods from the start ordinal, and waits until they are available', async () => {
    await create({ replicas: 2, ordinals: { start: 5 }, minReadySeconds: 10 });
    await setReady('db-5');
    assert.equal(await shown(), 'db-5 app:1');
    await fixture.clock.advance(11_000);
    assert.equal(await shown(), 'db-5 app:1, db-6 app:1');
    assert.deepEqual([(await get()).status.availableReplicas, (await get()).status.replicas], [1, 2]);
  });

  it('keeps the claims of its pods, or gives them owners as its policy says', async () => {
    const claim: PersistentVolumeClaim = { metadata: { name: 'data' }, spec: { resources: {} }, status: {} };
    await create({ replicas: 2, volumeClaimTemplates: [claim] });
    await settle();
    const owners = async (): Promise<unknown> =>
      (await claims()).map(({ metadata }) => [metadata.name, (metadata.ownerReferences ?? []).map(({ kind }) => kind)]);
    assert.deepEqual(await owners(), [
      ['data-db-0', []],
      ['data-db-1', []],
    ]);
    const [pod] = await allPods();
    assert.equal(pod!.spec.volumes?.[0]?.persistentVolumeClaim?.claimName, 'data-db-0');
    await patch({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' } });
    assert.deepEqual(await owners(), [
      ['data-db-0', ['StatefulSet']],
      ['data-db-1', ['StatefulSet']],
    ]);
    await patch({ replicas: 1 });
    assert.deepEqual(await owners(), [
      ['data-db-0', ['StatefulSet']],
      ['data-db-1', ['Pod']],
    ]);
    // Its claim is still that of the last pod of this name.
    await patch({ replicas: 2 });
    assert.equal(await shown(), 'db-0 app:1');
    await fixture.client.delete(persistentVolumeClaims, { namespace: 'ns', name: 'data-db-1' });
    await rest();
    assert.equal(await shown(), 'db-0 app:1, db-1 app:1');
  });

  it('says that a pod is updated where the policy of its claims changes, and where its label is missing', async () => {
    const claim: PersistentVolumeClaim = { metadata: { name: 'data' }, spec: { resources: {} }, status: {} };
    await create({ replicas: 1, volumeClaimTemplates: [claim] });
    await settle();
    assert.deepEqual(await said('Update'), []);
    await patch({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' } });
    assert.deepEqual(await said('Update'), ['SuccessfulUpdate 1 Update Pod db-0 in StatefulSet db successful']);
    const relabel = async (changed: object): Promise<void> => {
      await fixture.client.patch(pods, { namespace: 'ns', name: 'db-0' }, 'merge', { metadata: { labels: changed } });
      await rest();
    };
    const podLabels = async (): Promise<unknown> => {
      const [pod] = await allPods();
      return [POD_NAME, POD_INDEX].map((key) => pod!.metadata.labels?.[key]);
    };
    // Nothing is found by its number.
    await relabel({ [POD_INDEX]: null });
    assert.deepEqual(await podLabels(), ['db-0', undefined]);
    await relabel({ [POD_NAME]: 'x' });
    assert.deepEqual(await podLabels(), ['db-0', '0']);
    assert.deepEqual(await said('Update'), ['SuccessfulUpdate 2 Update Pod db-0 in StatefulSet db successful']);
  });

  it('says which claims keep it from creating a pod', async () => {
    const claim = (of: string): PersistentVolumeClaim => ({
      metadata: { name: of },
      spec: { resources: {} },
      status: {},
    });
    fixture.client.before = ({ verb, resource, name: of }) => {
      if (verb === 'create' && resource === 'persistentvolumeclaims')
        throw forbidden({ group: '', resource }, of ?? '', 'exceeded quota');
    };
    await create({ replicas: 1, volumeClaimTemplates: [claim('a'), claim('b')] });
    const failed = (of: string): string => `persistentvolumeclaims "${of}-db-0" is forbidden: exceeded quota`;
    const together = `[failed to create PVC a-db-0: ${failed('a')}, failed to create PVC b-db-0: ${failed('b')}]`;
    const notes = (await said('Create')).map((text) => text.replace(/^FailedCreate \d+ /, ''));
    assert.deepEqual(notes, [
      `Create Claim a-db-0 for Pod db-0 in StatefulSet db failed error: ${failed('a')}`,
      `Create Claim b-db-0 for Pod db-0 in StatefulSet db failed error: ${failed('b')}`,
      `Create Pod db-0 in StatefulSet db failed error: ${together}`,
    ]);
    assert.equal(await shown(), '');
    assert.equal((await get()).status.replicas, 0);
    fixture.client.before = () => {};
    fixture.errors.length = 0;
    await fixture.clock.advance(60_000);
    assert.equal(await shown(), 'db-0 app:1');
  });

  it('gives claims that were there before their owners while the pod is pending', async () => {
    const spec = { resources: {} };
    await fixture.client.create(persistentVolumeClaims, {
      metadata: { name: 'data-db-0', namespace: 'ns' },
      spec,
      status: {},
    });
    await create({
      replicas: 1,
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec, status: {} }],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
    });
    await setReady('db-0', 'Pending', 'False');
    assert.deepEqual(
      (await claims())[0]!.metadata.ownerReferences?.map(({ kind }) => kind),
      ['StatefulSet'],
    );
  });

  it('makes another revision where the name of one is taken, with the hash that it tried first', async () => {
    await create({ replicas: 1 });
    const [revision] = await revisions();
    const hash = revision!.metadata.labels!['controller.kubernetes.io/hash'];
    await fixture.client.delete(statefulSets, name);
    await rest();
    const taken = { name: revision!.metadata.name, namespace: 'ns' };
    await fixture.client.delete(controllerRevisions, { namespace: 'ns', name: taken.name! });
    await fixture.client.create(controllerRevisions, { metadata: taken, data: { other: true }, revision: 1 });
    await create({ replicas: 1 });
    const other = (await revisions()).find(({ metadata }) => metadata.name !== taken.name)!;
    assert.equal(other.metadata.labels?.['controller.kubernetes.io/hash'], hash);
    const { status } = await get();
    assert.deepEqual([status.collisionCount, status.updateRevision], [1, other.metadata.name]);
  });

  it('drops revisions also while it cannot create its pods', async () => {
    fixture.client.before = ({ verb, resource }) => {
      if (verb === 'create' && resource === 'pods') throw forbidden({ group: '', resource }, '', 'exceeded quota');
    };
    await create({ replicas: 1, revisionHistoryLimit: 1 });
    for (const image of ['app:2', 'app:3', 'app:4']) await patch({ template: template(image) });
    await fixture.clock.advance(1000);
    assert.deepEqual((await revisions()).map(({ revision }) => revision).sort(), [1, 3, 4]);
    fixture.errors.length = 0;
  });

  it('leaves revisions with other labels to themselves', async () => {
    await create({ replicas: 1 });
    await settle();
    const [revision] = await revisions();
    const revisionName = { namespace: 'ns', name: revision!.metadata.name! };
    await fixture.client.patch(controllerRevisions, revisionName, 'merge', { metadata: { labels: { app: 'x' } } });
    await patch({ replicas: 2 });
    const { metadata } = await fixture.client.get(controllerRevisions, revisionName);
    assert.equal(metadata.ownerReferences?.length, 1);
  });

  it('keeps all revisions by a limit below 0', async () => {
    await create({ replicas: 1, revisionHistoryLimit: -1 });
    for (const image of ['app:2', 'app:3']) {
      await settle();
      await patch({ template: template(image) });
    }
    await settle();
    await rest();
    assert.deepEqual((await revisions()).map(({ revision }) => revision).sort(), [1, 2, 3]);
  });

  it('drops revisions beyond its limit', async () => {
    await create({ replicas: 1, revisionHistoryLimit: 1 });
    for (const image of ['app:2', 'app:3', 'app:4']) {
      await settle();
      await patch({ template: template(image) });
    }
    await settle();
    await rest();
    assert.deepEqual((await revisions()).map(({ revision }) => revision).sort(), [3, 4]);
  });
});
