import assert from 'node:assert/strict';
import { nodes, persistentVolumeClaims, persistentVolumes, pods } from '../api/core/tokens.ts';
import { deviceClasses, resourceClaims } from '../api/resource/tokens.ts';
import { storageClasses } from '../api/storage/tokens.ts';
import { conflict } from '../apimachinery/errors/status-error.ts';
import { ControllersFixture } from '../controllers/controllers-testing.ts';
import type { Resource } from '../api/resource.ts';
import type { Event } from '../generated/types/events-v1.ts';
import type { Pod } from '../generated/types/core-v1.ts';
import { createScheduler } from './create-scheduler.ts';
import { testNode, testPod, type NodeParts, type PodParts } from './scheduler-testing.ts';

const groupEvents: Resource<Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  resource: 'events',
  kind: 'Event',
  namespaced: true,
};
const HOPELESS = 'Preemption is not helpful for scheduling';

describe('the scheduler', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    await fixture.start(createScheduler(fixture.context, { random: () => 0.5 }));
  });
  afterEach(() => fixture.stop());

  const addNode = (name: string, parts?: NodeParts): Promise<unknown> =>
    fixture.client.create(nodes, testNode(name, parts));
  const add = (name: string, parts: PodParts = {}): Promise<unknown> =>
    fixture.client.create(
      pods,
      testPod(name, { ...parts, spec: { schedulerName: 'default-scheduler', ...parts.spec } }),
    );
  const get = (name: string): Promise<Pod> => fixture.client.get(pods, { namespace: 'default', name });
  const rest = (): Promise<void> => fixture.clock.advance(0);
  /** Where a pod is, or what its condition says. */
  const shown = async (name: string): Promise<string> => {
    await rest();
    const { spec, status } = await get(name);
    if ((spec.nodeName ?? '') !== '') return spec.nodeName!;
    const condition = status.conditions?.find(({ type }) => type === 'PodScheduled');
    return `${condition?.reason}: ${condition?.message}`;
  };
  const said = async (name: string): Promise<string[]> => {
    await rest();
    const { items } = await fixture.client.list(groupEvents);
    return items.filter(({ regarding }) => regarding?.name === name).map(({ reason, note }) => `${reason}: ${note}`);
  };
  const high = (cpu: string, more: Partial<Pod['spec']> = {}): PodParts => ({
    requests: { cpu },
    spec: { priority: 1000, ...more },
  });

  it('says that there are no nodes, and places the pod when there is one', async () => {
    await add('a');
    const why = 'no nodes available to schedule pods';
    assert.equal(await shown('a'), `Unschedulable: ${why}`);
    assert.deepEqual(await said('a'), [`FailedScheduling: ${why}`]);
    await addNode('n1');
    await fixture.clock.advance(1000);
    assert.equal(await shown('a'), 'n1');
  });

  it('tries a pod again at once after a change that helps, and not after others', async () => {
    await addNode('n1', { allocatable: { cpu: '1' } });
    await add('first', { requests: { cpu: '1' } });
    await shown('first');
    await add('second', { requests: { cpu: '1' } });
    const why = '0/1 nodes are available: 1 Insufficient cpu.';
    assert.match(await shown('second'), new RegExp(why.replace('.', '\\.')));
    const writes = fixture.client.writes.length;
    await fixture.client.create(storageClasses, { metadata: { name: 'fast' }, provisioner: 'x' });
    await fixture.client.patch(nodes, { name: 'n1' }, 'merge', { metadata: { labels: { new: 'yes' } } });
    await rest();
    assert.equal(fixture.client.writes.length, writes + 2);
    await fixture.client.delete(pods, { namespace: 'default', name: 'first' }, { gracePeriodSeconds: 0 });
    assert.equal(await shown('second'), 'n1');
  });

  it('says what a claim waits for, each time with another event', async () => {
    await addNode('n1');
    await add('a', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] } });
    await rest();
    const spec = { resources: {}, accessModes: ['ReadWriteOnce'] };
    const claim = await fixture.client.create(persistentVolumeClaims, {
      metadata: { namespace: 'default', name: 'c' },
      spec,
      status: {},
    });
    const unbound = '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found';
    assert.equal(await shown('a'), `Unschedulable: ${unbound}`);
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    await fixture.client.update(persistentVolumeClaims, {
      ...claim,
      metadata: { ...claim.metadata, annotations },
      spec: { ...spec, volumeName: 'v' },
    });
    assert.equal(await shown('a'), 'Unschedulable: 0/1 nodes are available: persistentvolume "v" not found. not found');
    await fixture.client.create(persistentVolumes, { metadata: { name: 'v' }, spec: {}, status: {} });
    assert.equal(await shown('a'), 'n1');
    assert.deepEqual(await said('a'), [
      'FailedScheduling: 0/1 nodes are available: persistentvolumeclaim "c" not found. not found',
      `FailedScheduling: ${unbound}`,
      'FailedScheduling: 0/1 nodes are available: persistentvolume "v" not found. not found',
      'Scheduled: Successfully assigned default/a to n1',
    ]);
  });

  it('takes the room of less important pods, and says so of both', async () => {
    await addNode('n1', { allocatable: { cpu: '1' } });
    await add('victim', { requests: { cpu: '1' } });
    await shown('victim');
    await add('important', high('1'));
    await rest();
    // What the agent of the node does.
    await fixture.client.delete(pods, { namespace: 'default', name: 'victim' }, { gracePeriodSeconds: 0 });
    assert.equal(await shown('important'), 'n1');
    const { uid } = (await get('important')).metadata;
    assert.deepEqual(await said('important'), [
      'FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu.',
      'Scheduled: Successfully assigned default/important to n1',
    ]);
    assert.equal((await said('victim')).at(-1), `Preempted: Preempted by pod ${uid} on node n1`);
  });

  it('says why no pod is deleted for another', async () => {
    await addNode('n1', { allocatable: { cpu: '1' } });
    await add('victim', { requests: { cpu: '1' } });
    await shown('victim');
    const head = 'Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption:';
    await add('polite', high('1', { preemptionPolicy: 'Never' }));
    assert.equal(await shown('polite'), `${head} not eligible due to preemptionPolicy=Never.`);
    await add('equal', { requests: { cpu: '1' } });
    const none = 'No preemption victims found for incoming pod';
    assert.equal(await shown('equal'), `${head} 0/1 nodes are available: 1 ${none}.`);
    await add('huge', high('2'));
    assert.equal(await shown('huge'), `${head} 0/1 nodes are available: 1 ${HOPELESS}.`);
  });

  it('waits for pods that are going, and gives the node up that has become useless', async () => {
    await addNode('n1', { allocatable: { cpu: '1' } });
    await add('victim', { requests: { cpu: '1' } });
    await shown('victim');
    await fixture.client.patch(pods, { namespace: 'default', name: 'victim' }, 'merge', {
      metadata: { finalizers: ['example.com/slow'] },
    });
    await add('important', high('1'));
    await rest();
    assert.equal((await get('important')).status.nominatedNodeName, 'n1');
    await fixture.client.patch(pods, { namespace: 'default', name: 'important' }, 'merge', {
      metadata: { labels: { again: 'yes' } },
    });
    assert.match(await shown('important'), /not eligible due to a terminating pod on the nominated node\.$/);
    await fixture.client.patch(nodes, { name: 'n1' }, 'merge', { spec: { unschedulable: true } });
    await fixture.client.patch(pods, { namespace: 'default', name: 'important' }, 'merge', {
      metadata: { labels: { again: 'really' } },
    });
    assert.match(await shown('important'), /1 node\(s\) were unschedulable\. .* 1 Preemption is not helpful/);
    assert.equal((await get('important')).status.nominatedNodeName, undefined);
  });

  it('says nothing of a pod until its claim to devices is there', async () => {
    await addNode('n1');
    await add('a', { spec: { resourceClaims: [{ name: 'd', resourceClaimName: 'gpu' }] } });
    assert.equal(await shown('a'), 'undefined: undefined');
    const request = { name: 'one', exactly: { deviceClassName: 'none.example.org' } };
    const gpu = {
      metadata: { namespace: 'default', name: 'gpu' },
      spec: { devices: { requests: [request] } },
      status: {},
    };
    await fixture.client.create(resourceClaims, gpu);
    assert.match(await shown('a'), /: request one: device class none\.example\.org does not exist\. no new claims/);
    await fixture.client.delete(resourceClaims, { namespace: 'default', name: 'gpu' });
    await addNode('n2');
    assert.match(await shown('a'), /device class none\.example\.org does not exist/);
    assert.equal((await said('a')).length, 1);
  });

  it('takes devices back that are not where the pod can be', async () => {
    await addNode('n1');
    await fixture.client.create(deviceClasses, { metadata: { name: 'gpu' }, spec: {} });
    const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['gone'] }] }];
    const allocation = { devices: {}, nodeSelector: { nodeSelectorTerms: terms } };
    const gpu = await fixture.client.create(resourceClaims, {
      metadata: { namespace: 'default', name: 'gpu' },
      spec: { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'gpu' } }] } },
      status: { allocation, reservedFor: [{ resource: 'pods', name: 'other', uid: 'other' }] },
    });
    await add('a', { spec: { resourceClaims: [{ name: 'd', resourceClaimName: 'gpu' }] } });
    const why = `Unschedulable: 0/1 nodes are available: 1 resourceclaim not available on the node.`;
    const end = `preemption: 0/1 nodes are available: 1 ${HOPELESS}.`;
    assert.equal(await shown('a'), `${why} still not schedulable, ${end}`);
    const unused = await fixture.client.update(
      resourceClaims,
      { ...gpu, status: { allocation } },
      { subresource: 'status' },
    );
    assert.equal(
      await shown('a'),
      `Unschedulable: 0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, ${end}`,
    );
    assert.ok((await said('a')).some((text) => text.endsWith(`deallocation of ResourceClaim completed, ${end}`)));
    const { status } = await fixture.client.get(resourceClaims, { namespace: 'default', name: 'gpu' });
    assert.deepEqual([unused.status, status], [{ allocation }, {}]);
  });

  it('lets a pod that goes while its volumes are made go, with an event', async () => {
    await addNode('n1');
    const fast = { metadata: { name: 'fast' }, provisioner: 'x', volumeBindingMode: 'WaitForFirstConsumer' };
    await fixture.client.create(storageClasses, fast);
    await fixture.client.create(persistentVolumeClaims, {
      metadata: { namespace: 'default', name: 'c' },
      spec: { resources: {}, accessModes: ['ReadWriteOnce'], storageClassName: 'fast' },
      status: {},
    });
    await add('a', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] } });
    await fixture.clock.advance(1000);
    assert.deepEqual(await said('a'), []);
    await fixture.client.delete(pods, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
    await fixture.clock.advance(1000);
    assert.deepEqual(await said('a'), [
      'FailedScheduling: running PreBind plugin "VolumeBinding": binding volumes: pod does not exist any more: pod "a" not found',
    ]);
  });

  it('says that a binding failed, and tries again', async () => {
    await addNode('n1');
    let failed = false;
    fixture.client.before = ({ subresource }) => {
      if (subresource !== 'binding' || failed) return;
      failed = true;
      throw conflict({ group: '', resource: 'pods/binding' }, 'a', 'try again');
    };
    await add('a');
    assert.match(
      await shown('a'),
      /^SchedulerError: running Bind plugin "DefaultBinder": Operation cannot be fulfilled/,
    );
    await fixture.clock.advance(1000);
    assert.equal(await shown('a'), 'n1');
    assert.equal(fixture.errors.splice(0).length, 1);
  });
});
