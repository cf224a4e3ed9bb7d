import assert from 'node:assert/strict';
import { events, nodes, pods } from '../../../../pkg/api/core/tokens.ts';
import { resourceClaims, resourceClaimTemplates } from '../../../../pkg/api/resource/tokens.ts';
import { formatTime } from '../../../../pkg/apimachinery/values/time.ts';
import type { ControllerDescriptor } from '../../../../pkg/controllers/controller-descriptor.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { nodeIpamController } from '../../../../pkg/controllers/node-ipam/controller.ts';
import { nodeLifecycleController } from '../../../../pkg/controllers/node-lifecycle/controller.ts';
import { resourceClaimController } from '../../../../pkg/controllers/resource-claim/controller.ts';
import { taintEvictionController } from '../../../../pkg/controllers/taint-eviction/controller.ts';
import { ttlController } from '../../../../pkg/controllers/ttl/controller.ts';
import type { Event, Node, Pod, Taint, Toleration } from '../../../../pkg/generated/types/core-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';
import { createPod } from '../suite-objects.ts';

const CONFIG = {
  workers: { resourceClaim: 2 },
  nodeLifecycle: {
    monitorPeriodMs: 100,
    monitorGraceMs: 600_000,
    startupGraceMs: 600_000,
    evictionRate: 100,
    secondaryEvictionRate: 100,
    largeClusterSize: 50,
    unhealthyZoneThreshold: 0.55,
    taintManager: true,
  },
  nodeIpam: {
    allocate: true,
    clusterCidrs: ['10.244.0.0/16', 'fd00:1::/48'],
    serviceCidrs: [],
    maskSizeIpv4: 24,
    maskSizeIpv6: 64,
  },
} as unknown as ControllersConfig;
const NOT_READY = 'node.kubernetes.io/not-ready';

export const nodeSuite: ControllerSuite = {
  name: 'nodes',
  define(host) {
    let namespace: string;
    let made: string[];
    beforeEach(async () => {
      namespace = await host.namespace();
      made = [];
    });
    // Other tests must find no nodes that are not theirs.
    afterEach(async () => {
      for (const name of made) await host.client.delete(nodes, { name });
    });

    const start = (...descriptors: ControllerDescriptor[]): Promise<void> => startWith(CONFIG, ...descriptors);
    const startWith = async (config: ControllersConfig, ...descriptors: ControllerDescriptor[]): Promise<void> => {
      for (const { create } of descriptors) await host.start((context) => create(context, config)!);
    };
    const setReady = (name: string, status: string): Promise<unknown> => {
      const now = formatTime(new Date());
      const ready = { type: 'Ready', status, reason: 'Test', lastHeartbeatTime: now, lastTransitionTime: now };
      return host.client.patch(
        nodes,
        { name },
        'merge',
        { status: { conditions: [ready] } },
        { subresource: 'status' },
      );
    };
    const addNode = async (part: string, status: string): Promise<string> => {
      const name = `${namespace}-${part}`;
      const metadata = { name, labels: { 'topology.kubernetes.io/zone': namespace, 'kubernetes.io/os': 'linux' } };
      await host.client.create(nodes, { metadata, spec: {}, status: {} as Node['status'] });
      made.push(name);
      await setReady(name, status);
      return name;
    };
    const getNode = (name: string): Promise<Node> => host.client.get(nodes, { name });
    const addPod = (name: string, spec: Partial<Pod['spec']>): Promise<Pod> =>
      createPod(host, { namespace, name }, spec);
    const getPod = (name: string): Promise<Pod> => host.client.get(pods, { namespace, name });
    const isTainted = async (name: string, effect: string): Promise<boolean> =>
      (await getNode(name)).spec.taints?.some((taint: Taint) => taint.key === NOT_READY && taint.effect === effect) ===
      true;

    it('taint what is not ready, delete its pods in their time, and take the taints back', async () => {
      await start(nodeLifecycleController, taintEvictionController);
      await addNode('good', 'True');
      const name = await addNode('bad', 'True');
      await until(async () => !(await isTainted(name, 'NoSchedule')), 'a node without the taint of new ones');
      const atOnce: Toleration = { key: NOT_READY, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 };
      await addPod('leaves', { nodeName: name, tolerations: [atOnce] });
      await addPod('stays', { nodeName: name });
      await setReady(name, 'False');
      await until(() => isTainted(name, 'NoExecute'), 'the taint that evicts');
      assert.ok(await isTainted(name, 'NoSchedule'));
      await until(async () => (await getPod('leaves')).metadata.deletionTimestamp !== undefined, 'an eviction');
      const { conditions = [] } = (await getPod('leaves')).status;
      assert.equal(conditions.find(({ type }) => type === 'DisruptionTarget')?.reason, 'DeletionByTaintManager');
      // Admission gave it 300 seconds.
      assert.equal((await getPod('stays')).metadata.deletionTimestamp, undefined);
      await setReady(name, 'True');
      await until(
        async () => !(await isTainted(name, 'NoExecute')) && !(await isTainted(name, 'NoSchedule')),
        'a node without taints',
      );
      assert.equal((await getNode(name)).metadata.labels?.['beta.kubernetes.io/os'], 'linux');
      for (const pod of ['leaves', 'stays'])
        await host.client.delete(pods, { namespace, name: pod }, { gracePeriodSeconds: 0 });
    });

    it('get ranges of both families and the time that their agents may keep what they read', async () => {
      await start(nodeIpamController, ttlController);
      const names = [await addNode('a', 'True'), await addNode('b', 'True')];
      for (const name of names)
        await until(async () => (await getNode(name)).spec.podCIDRs?.length === 2, `ranges of ${name}`);
      const [a, b] = [await getNode(names[0]!), await getNode(names[1]!)];
      assert.equal(a.spec.podCIDR, a.spec.podCIDRs![0]);
      assert.equal(new Set([...a.spec.podCIDRs!, ...b.spec.podCIDRs!]).size, 4);
      await until(
        async () => (await getNode(names[0]!)).metadata.annotations?.['node.alpha.kubernetes.io/ttl'] === '0',
        'the annotation',
      );
    });

    it('wait where no range is left, which an event reports, until another node goes', async () => {
      const nodeIpam = { ...CONFIG.nodeIpam, clusterCidrs: ['10.9.0.0/24'] };
      await startWith({ ...CONFIG, nodeIpam }, nodeIpamController);
      const [first, second] = [await addNode('first', 'True'), await addNode('second', 'True')];
      const rangesOf = async (name: string): Promise<readonly string[] | undefined> =>
        (await getNode(name)).spec.podCIDRs;
      const reported = async (): Promise<readonly Event[]> =>
        (await host.client.list(events, { fieldSelector: `involvedObject.name=${second},reason=CIDRNotAvailable` }))
          .items;
      await until(async () => (await reported()).length > 0, 'the event');
      const [{ message, involvedObject, type }] = (await reported()) as [Event];
      assert.deepEqual([type, message], ['Normal', `Node ${second} status is now: CIDRNotAvailable`]);
      assert.equal(involvedObject.uid, (await getNode(second)).metadata.uid);
      assert.deepEqual([await rangesOf(first), await rangesOf(second)], [['10.9.0.0/24'], undefined]);
      await host.client.delete(nodes, { name: first });
      made.splice(made.indexOf(first), 1);
      await until(async () => (await rangesOf(second)) !== undefined, 'the range of the node that is gone');
    });

    it('lend devices to pods by claims that are made from templates, until the pods end', async () => {
      await start(resourceClaimController);
      const requests = [{ name: 'one', exactly: { deviceClassName: 'none' } }];
      await host.client.create(resourceClaimTemplates, {
        metadata: { namespace, name: 'device' },
        spec: { metadata: {}, spec: { devices: { requests } } },
      });
      await addPod('user', { resourceClaims: [{ name: 'dev', resourceClaimTemplateName: 'device' }] });
      await until(async () => (await getPod('user')).status.resourceClaimStatuses !== undefined, 'the name of a claim');
      const { metadata, status } = await getPod('user');
      const [{ name: entry, resourceClaimName = '' } = { name: '' }] = status.resourceClaimStatuses ?? [];
      assert.equal(entry, 'dev');
      const claim = await host.client.get(resourceClaims, { namespace, name: resourceClaimName });
      assert.deepEqual(claim.metadata.annotations, { 'resource.kubernetes.io/pod-claim-name': 'dev' });
      assert.equal(claim.metadata.ownerReferences?.[0]?.uid, metadata.uid);
      const isGone = async (): Promise<boolean> =>
        (await host.client.list(resourceClaims, { namespace })).items.length === 0;
      await host.client.patch(
        pods,
        { namespace, name: 'user' },
        'merge',
        { status: { phase: 'Failed' } },
        { subresource: 'status' },
      );
      await until(isGone, 'the end of the claim');
    });
  },
};
