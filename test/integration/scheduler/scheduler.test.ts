/** The scheduler against a real server, through the local client. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodes, persistentVolumeClaims, persistentVolumes, pods } from '../../../pkg/api/core/tokens.ts';
import { podDisruptionBudgets } from '../../../pkg/api/policy/tokens.ts';
import { deviceClasses, resourceClaims, resourceSlices } from '../../../pkg/api/resource/tokens.ts';
import { priorityClasses } from '../../../pkg/api/scheduling/tokens.ts';
import { storageClasses } from '../../../pkg/api/storage/tokens.ts';
import type { Client } from '../../../pkg/client/rest/client.ts';
import { ControllerContexts } from '../../../pkg/controllers/controller-contexts.ts';
import type { Pod, PodSpec } from '../../../pkg/generated/types/core-v1.ts';
import { createScheduler } from '../../../pkg/scheduler/create-scheduler.ts';
import type { Scheduler } from '../../../pkg/scheduler/scheduler.ts';
import { testNode } from '../../../pkg/scheduler/scheduler-testing.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

const WAIT_MS = 20_000;

/** What the check resolves to when it no longer throws. */
async function eventually<T>(check: () => Promise<T>): Promise<T> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(20);
    }
  }
}

const USER = { name: 'system:apiserver', groups: ['system:masters'] };

describe('the scheduler', function () {
  this.timeout(60_000);
  let server: TestServer;
  let client: Client;
  let contexts: ControllerContexts;
  let scheduler: Scheduler;
  const errors: string[] = [];

  before(async () => {
    server = await startTestServer({
      controllers: [],
      args: ['--disable-admission-plugins=ServiceAccount,TaintNodesByCondition'],
    });
    client = server.running.server.localClient(USER);
    contexts = new ControllerContexts({
      clientOf: () => client,
      sources: server.running.server.localSources(USER, (error) => errors.push(String(error))),
      onError: (error, where) => errors.push(`${where}: ${String(error)}`),
      freezeObjects: true,
    });
    for (const name of ['n1', 'n2']) await client.create(nodes, testNode(name));
    scheduler = createScheduler(contexts.of('scheduler'));
    contexts.startInformers();
    await scheduler.start();
  });
  after(async () => {
    await scheduler.stop();
    await contexts.stop();
    await server.stop();
    assert.deepEqual([errors, server.errors], [[], []]);
  });

  const create = (name: string, spec: Partial<PodSpec> = {}): Promise<Pod> =>
    client.create(pods, {
      metadata: { name, namespace: 'default', labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }], ...spec },
      status: {},
    });
  const cpu = (amount: string): Partial<PodSpec> => ({
    containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu: amount } } }],
  });
  const get = (name: string): Promise<Pod> => client.get(pods, { namespace: 'default', name });
  const nodeOf = (name: string): Promise<string> =>
    eventually(async () => {
      const { spec } = await get(name);
      assert.ok(spec.nodeName);
      return spec.nodeName;
    });
  const waits = (name: string, message: RegExp): Promise<void> =>
    eventually(async () => {
      const condition = (await get(name)).status.conditions?.find(({ type }) => type === 'PodScheduled');
      assert.equal(condition?.reason, 'Unschedulable');
      assert.match(condition.message!, message);
    });

  it('binds pods to nodes, one on each when both are as good', async () => {
    await create('one', cpu('1'));
    const first = await nodeOf('one');
    await create('two', cpu('1'));
    assert.notEqual(await nodeOf('two'), first);
  });

  it('says why a pod has no node, and gives it one when there is room', async () => {
    await create('big', cpu('8'));
    await waits(
      'big',
      /^0\/2 nodes are available: 2 Insufficient cpu\. no new claims to deallocate, preemption: 0\/2 nodes are available: 2 Preemption is not helpful for scheduling\.$/,
    );
    await client.create(nodes, testNode('n3', { allocatable: { cpu: '16' } }));
    assert.equal(await nodeOf('big'), 'n3');
    await client.delete(pods, { namespace: 'default', name: 'big' }, { gracePeriodSeconds: 0 });
    await client.delete(nodes, { name: 'n3' });
  });

  it('leaves pods of other schedulers, and those with gates until they are open', async () => {
    await create('other', { schedulerName: 'another' });
    await create('gated', { schedulingGates: [{ name: 'example.org/wait' }] });
    await create('free');
    await nodeOf('free');
    await scheduler.settled();
    assert.equal((await get('other')).spec.nodeName, undefined);
    assert.equal((await get('gated')).spec.nodeName, undefined);
    await client.patch(pods, { namespace: 'default', name: 'gated' }, 'merge', { spec: { schedulingGates: [] } });
    await nodeOf('gated');
  });

  it('deletes pods of lower priority for one of a higher, those that a budget protects last', async () => {
    await client.create(priorityClasses, {
      metadata: { name: 'high' },
      value: 1000,
      preemptionPolicy: 'PreemptLowerPriority',
    });
    for (const name of ['fill-1', 'fill-2']) {
      await create(name, cpu('2500m'));
      await nodeOf(name);
    }
    await client.create(podDisruptionBudgets, {
      metadata: { name: 'fill-1', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'fill-1' } }, minAvailable: 1 },
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    });
    const wanted = (await get('fill-2')).spec.nodeName;
    await create('important', { ...cpu('2'), priorityClassName: 'high' });
    // No agent ends the victim: its containers do not run.
    await eventually(async () => assert.ok((await get('fill-2')).metadata.deletionTimestamp));
    const victim = await get('fill-2');
    assert.equal(
      victim.status.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason,
      'PreemptionByScheduler',
    );
    await eventually(async () => assert.equal((await get('important')).status.nominatedNodeName, wanted));
    await client.delete(pods, { namespace: 'default', name: 'fill-2' }, { gracePeriodSeconds: 0 });
    assert.equal(await nodeOf('important'), wanted);
  });

  it('binds volumes of classes that wait for a pod, on the node that has them', async () => {
    await client.create(storageClasses, {
      metadata: { name: 'local' },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    const required = {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }],
    };
    await client.create(persistentVolumes, {
      metadata: { name: 'disk' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'local',
        hostPath: { path: '/tmp/x' },
        nodeAffinity: { required },
      },
      status: {},
    });
    await client.patch(
      persistentVolumes,
      { name: 'disk' },
      'merge',
      { status: { phase: 'Available' } },
      { subresource: 'status' },
    );
    await client.create(persistentVolumeClaims, {
      metadata: { name: 'data', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'local', resources: { requests: { storage: '1Gi' } } },
      status: {},
    });
    await create('uses-disk', { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] });
    await eventually(async () =>
      assert.equal((await client.get(persistentVolumes, { name: 'disk' })).spec.claimRef?.name, 'data'),
    );
    // What the volume binder does.
    await client.patch(persistentVolumeClaims, { namespace: 'default', name: 'data' }, 'merge', {
      metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { volumeName: 'disk' },
    });
    assert.equal(await nodeOf('uses-disk'), 'n2');
  });

  it('looks for a node again when the provisioner gives the chosen one up', async () => {
    await client.create(storageClasses, {
      metadata: { name: 'made' },
      provisioner: 'example.org/disks',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    const name = { namespace: 'default', name: 'made' };
    await client.create(persistentVolumeClaims, {
      metadata: name,
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'made', resources: { requests: { storage: '1Gi' } } },
      status: {},
    });
    await create('uses-made', { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'made' } }] });
    const key = 'volume.kubernetes.io/selected-node';
    const selected = (): Promise<string> =>
      eventually(async () => {
        const node = (await client.get(persistentVolumeClaims, name)).metadata.annotations?.[key];
        assert.ok(node);
        return node;
      });
    await selected();
    await client.patch(persistentVolumeClaims, name, 'merge', { metadata: { annotations: { [key]: null } } });
    await selected();
    assert.match(
      errors.splice(0).join('\n'),
      /running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "made"/,
    );
  });

  it('allocates devices to the claims of a pod, and says what it cannot do', async () => {
    const pool = { name: 'n2', generation: 1, resourceSliceCount: 1 };
    await client.create(resourceSlices, {
      metadata: { name: 'gpus' },
      spec: { driver: 'gpu.example.org', pool, nodeName: 'n2', devices: [{ name: 'gpu-0' }] },
    });
    const cel = { cel: { expression: 'device.driver == "gpu.example.org"' } };
    await client.create(deviceClasses, { metadata: { name: 'gpu' }, spec: {} });
    await client.create(deviceClasses, { metadata: { name: 'choosy' }, spec: { selectors: [cel] } });
    const claim = (name: string, deviceClassName: string): Promise<unknown> =>
      client.create(resourceClaims, {
        metadata: { namespace: 'default', name },
        spec: { devices: { requests: [{ name: 'one', exactly: { deviceClassName } }] } },
        status: {},
      });
    const uses = (resourceClaimName: string): Partial<PodSpec> => ({
      resourceClaims: [{ name: 'dev', resourceClaimName }],
    });
    for (const [name, deviceClass] of [
      ['first', 'gpu'],
      ['second', 'gpu'],
      ['third', 'choosy'],
    ] as const)
      await claim(name, deviceClass);
    await create('has-device', uses('first'));
    assert.equal(await nodeOf('has-device'), 'n2');
    const { metadata, status } = await client.get(resourceClaims, { namespace: 'default', name: 'first' });
    const { uid } = (await get('has-device')).metadata;
    const { allocationTimestamp = '', ...allocation } = status.allocation!;
    assert.match(allocationTimestamp, /^\d{4}-.*Z$/);
    assert.deepEqual(allocation, {
      devices: { results: [{ request: 'one', driver: 'gpu.example.org', pool: 'n2', device: 'gpu-0' }] },
      nodeSelector: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }],
      },
    });
    assert.deepEqual(status.reservedFor, [{ resource: 'pods', name: 'has-device', uid }]);
    assert.deepEqual(metadata.finalizers, ['resource.kubernetes.io/delete-protection']);
    await create('has-none', uses('second'));
    await waits(
      'has-none',
      /^0\/2 nodes are available: 2 cannot allocate all claims\. still not schedulable, preemption: 0\/2 nodes/,
    );
    await create('is-choosy', uses('third'));
    await waits('is-choosy', /request one: this scheduler evaluates no selectors of devices\. no new claims/);
    await client.delete(pods, { namespace: 'default', name: 'has-device' }, { gracePeriodSeconds: 0 });
    // What the controller of claims does.
    await client.patch(
      resourceClaims,
      { namespace: 'default', name: 'first' },
      'merge',
      { status: { allocation: null, reservedFor: null } },
      { subresource: 'status' },
    );
    assert.equal(await nodeOf('has-none'), 'n2');
  });
});
