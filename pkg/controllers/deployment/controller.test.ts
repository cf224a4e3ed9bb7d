import assert from 'node:assert/strict';
import { deployments, replicaSets } from '../../api/apps/tokens.ts';
import { events, pods } from '../../api/core/tokens.ts';
import type { Deployment, ReplicaSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { replicaSetController } from '../replicaset/controller.ts';
import { deploymentController } from './controller.ts';

const CONFIG = { workers: { deployment: 2, replicaSet: 2 } } as ControllersConfig;
const labels = { app: 'web' };
const name = { namespace: 'ns', name: 'web' };

/** With the controller of replica sets beside it; the test says when pods become ready. */
describe('the deployment controller', () => {
  let fixture: ControllersFixture;
  /** Numbers of pods that there were at each change, at most and at least available. */
  let broken: Set<string>;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    broken = new Set();
    await fixture.start(replicaSetController.create(fixture.context, CONFIG)!);
    await fixture.start(deploymentController.create(fixture.context, CONFIG)!);
  });
  afterEach(async () => {
    await fixture.stop();
    assert.deepEqual(fixture.errors, []);
  });

  const create = (spec: Partial<Deployment['spec']> = {}): Promise<Deployment> =>
    fixture.client.create(deployments, {
      metadata: name,
      spec: {
        replicas: 4,
        selector: { matchLabels: labels },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
        progressDeadlineSeconds: 60,
        revisionHistoryLimit: 10,
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }] } },
        ...spec,
      },
      status: {},
    });
  const get = (): Promise<Deployment> => fixture.client.get(deployments, name);
  const patch = (spec: object): Promise<unknown> => fixture.client.patch(deployments, name, 'merge', { spec });
  const setImage = (image: string): Promise<unknown> =>
    patch({ template: { spec: { containers: [{ name: 'main', image, resources: {} }] } } });
  const sets = async (): Promise<readonly ReplicaSet[]> =>
    (await fixture.client.list(replicaSets, { namespace: 'ns' })).items;
  const allPods = async (): Promise<readonly Pod[]> => (await fixture.client.list(pods, { namespace: 'ns' })).items;
  const rest = (): Promise<void> => fixture.clock.advance(0);
  const condition = async (type: string): Promise<string> => {
    const found = (await get()).status.conditions?.find((one) => one.type === type);
    return `${found?.status} ${found?.reason}`;
  };
  const imageOf = ({ spec }: Pod): string => spec.containers?.[0]?.image ?? '';

  /** Makes pods ready one by one until nothing changes, but for those with an image in `stuck`. */
  async function settle(stuck: readonly string[] = []): Promise<void> {
    for (let round = 0; round < 50; round++) {
      await rest();
      const { spec } = await get();
      const all = await allPods();
      const ready = all.filter(({ status }) => status.phase === 'Running');
      if (all.length > (spec.replicas ?? 1) + 1) broken.add(`${all.length} pods`);
      const waiting = all.find((pod) => pod.status.phase !== 'Running' && !stuck.includes(imageOf(pod)));
      if (waiting === undefined) return;
      if (round > 4 && ready.length < (spec.replicas ?? 1) - 1) broken.add(`${ready.length} ready`);
      const now = new Date(fixture.clock.wallMs()).toISOString();
      const conditions = [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: now }];
      const podName = { namespace: 'ns', name: waiting.metadata.name! };
      const status = { phase: 'Running', conditions };
      await fixture.client.patch(pods, podName, 'merge', { status }, { subresource: 'status' });
    }
    assert.fail('no end');
  }

  it('counts the replica sets as it has scaled them, while their informer falls behind', async () => {
    await create({ replicas: 1 });
    await settle();
    const release = await fixture.holdEvents(replicaSets);
    await patch({ replicas: 4 });
    await rest();
    await setImage('app:2');
    await rest();
    const replicas = (await sets()).map(({ spec }) => spec.replicas ?? 1);
    await release();
    // One may be created beyond the four before one of the old set has to go.
    assert.equal(
      replicas.reduce((sum, count) => sum + count),
      5,
    );
  });

  it('makes one replica set, and is complete when its pods are available', async () => {
    await create();
    await rest();
    assert.equal(await condition('Progressing'), 'True ReplicaSetUpdated');
    assert.equal(await condition('Available'), 'False MinimumReplicasUnavailable');
    await settle();
    const [set, ...others] = await sets();
    assert.equal(others.length, 0);
    assert.match(set!.metadata.name!, /^web-[a-z0-9]+$/);
    assert.deepEqual(
      Object.fromEntries(
        Object.entries(set!.metadata.annotations ?? {}).map(([key, value]) => [key.split('/')[1], value]),
      ),
      { revision: '1', 'desired-replicas': '4', 'max-replicas': '5' },
    );
    assert.deepEqual(
      [await condition('Progressing'), await condition('Available')],
      ['True NewReplicaSetAvailable', 'True MinimumReplicasAvailable'],
    );
    const { status, metadata } = await get();
    assert.deepEqual([status.replicas, status.updatedReplicas, status.availableReplicas], [4, 4, 4]);
    assert.equal(metadata.annotations?.['deployment.kubernetes.io/revision'], '1');
  });

  it('rolls a new template out within its limits', async () => {
    await create();
    await settle();
    await setImage('app:2');
    await settle();
    const sizes = (await sets()).map(({ spec }) => [spec.template?.spec?.containers?.[0]?.image, spec.replicas]);
    assert.deepEqual(sizes.sort(), [
      ['app:1', 0],
      ['app:2', 4],
    ]);
    assert.deepEqual([...broken], []);
    assert.deepEqual(new Set((await allPods()).map(imageOf)), new Set(['app:2']));
    assert.equal((await get()).metadata.annotations?.['deployment.kubernetes.io/revision'], '2');
  });

  it('keeps enough old pods while new ones do not become ready, and says so after the deadline', async () => {
    await create();
    await settle();
    await setImage('app:bad');
    await settle(['app:bad']);
    const images = (await allPods()).map(imageOf).sort();
    assert.deepEqual(images, ['app:1', 'app:1', 'app:1', 'app:bad', 'app:bad']);
    await fixture.clock.advance(62_000);
    assert.equal(await condition('Progressing'), 'False ProgressDeadlineExceeded');
    await setImage('app:1');
    await settle();
    assert.equal(await condition('Progressing'), 'True NewReplicaSetAvailable');
    assert.equal((await get()).metadata.annotations?.['deployment.kubernetes.io/revision'], '3');
  });

  it('deletes all old pods before it creates new ones with Recreate', async () => {
    await create({ strategy: { type: 'Recreate' } });
    await settle();
    const old = new Set((await allPods()).map(({ metadata }) => metadata.uid));
    await setImage('app:2');
    await settle();
    const after = await allPods();
    assert.equal(after.length, 4);
    assert.ok(after.every((pod) => imageOf(pod) === 'app:2' && !old.has(pod.metadata.uid)));
  });

  it('shares replicas among its sets when it is scaled in the middle of a rollout', async () => {
    await create({
      replicas: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
    });
    await settle();
    await setImage('app:bad');
    await settle(['app:bad']);
    const sizes = async (): Promise<readonly unknown[]> => (await sets()).map(({ spec }) => spec.replicas).sort();
    assert.deepEqual(await sizes(), [5, 8]);
    await patch({ replicas: 15 });
    await settle(['app:bad']);
    assert.deepEqual(await sizes(), [11, 7].sort());
  });

  it('scales while it is paused, and does not roll out until it is resumed', async () => {
    await create();
    await settle();
    await patch({ paused: true });
    await setImage('app:2');
    await patch({ replicas: 5 });
    await settle();
    assert.deepEqual([(await sets()).length, (await allPods()).length], [1, 5]);
    assert.equal(await condition('Progressing'), 'Unknown DeploymentPaused');
    await patch({ paused: false });
    await settle();
    assert.deepEqual(new Set((await allPods()).map(imageOf)), new Set(['app:2']));
  });

  it('goes back to an earlier revision, which gets a new number', async () => {
    await create();
    await settle();
    await setImage('app:2');
    await settle();
    const annotations = { 'deprecated.deployment.rollback.to': '1' };
    await fixture.client.patch(deployments, name, 'merge', { metadata: { annotations } });
    await settle();
    assert.deepEqual(new Set((await allPods()).map(imageOf)), new Set(['app:1']));
    const first = (await sets()).find(({ spec }) => spec.template?.spec?.containers?.[0]?.image === 'app:1');
    assert.equal(first?.metadata.annotations?.['deployment.kubernetes.io/revision'], '3');
    assert.equal(first?.metadata.annotations?.['deployment.kubernetes.io/revision-history'], '1');
    const said = (await fixture.client.list(events, { namespace: 'ns' })).items.map(({ reason }) => reason);
    assert.ok(said.includes('DeploymentRollback'));
  });

  it('takes back what was changed in its replica set by hand', async () => {
    await create();
    await settle();
    const [set] = await sets();
    const setName = { namespace: 'ns', name: set!.metadata.name! };
    await fixture.client.patch(replicaSets, setName, 'merge', { spec: { replicas: 5 } });
    await settle();
    assert.deepEqual([(await sets())[0]!.spec.replicas, (await allPods()).length], [4, 4]);
  });

  it('takes an empty struct for another template, but not an absent list', async () => {
    await create();
    await settle();
    await patch({ template: { spec: { volumes: [] } } });
    await settle();
    assert.equal((await sets()).length, 1);
    await patch({ template: { spec: { affinity: {} } } });
    await settle();
    assert.equal((await sets()).length, 2);
  });

  it('shortens its name for that of a replica set', async () => {
    const long = { namespace: 'ns', name: 'w'.repeat(253) };
    await fixture.client.create(deployments, { ...(await create()), metadata: long });
    await rest();
    const names = (await sets()).map(({ metadata }) => metadata.name!).filter((one) => one.startsWith('www'));
    assert.equal(names.length, 1);
    assert.match(names[0]!, /^w+-[a-z0-9]+$/);
    assert.equal(names[0]!.length, 253);
    const prefixes = new Set((await allPods()).map(({ metadata }) => metadata.generateName!));
    assert.ok(prefixes.has(names[0]!));
  });

  it('keeps as many old sets as its history limit says', async () => {
    await create({ revisionHistoryLimit: 1 });
    for (const image of ['app:1', 'app:2', 'app:3', 'app:4']) {
      await setImage(image);
      await settle();
    }
    await rest();
    const kept = (await sets()).map(({ spec }) => spec.template?.spec?.containers?.[0]?.image).sort();
    assert.deepEqual(kept, ['app:3', 'app:4']);
  });
});
