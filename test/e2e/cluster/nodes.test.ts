import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { runProgram, type Finished } from '../../fixtures/run-program.ts';
import type { Kubectl } from '../kubectl/kubectl.ts';
import { pod, podTemplate } from '../kubectl/manifests.ts';
import { rows } from '../kubectl/printed.ts';
import { eventually, movingCluster } from './moving-cluster.ts';

const program = process.env['BINNACLE_PROGRAM'] ?? resolve(import.meta.dirname, '../../../dist/binnacle.js');

/** Tests of a file share their nodes: each leaves them as it found them. */
describe('nodes in a cluster', function () {
  this.timeout(120_000);
  // Nodes renew their leases every 10 s: two seconds later one that fails is known to be lost.
  const cluster = movingCluster('--node-monitor-grace-period=12s', '--node-monitor-period=1s');
  let kubectl: Kubectl;

  before(async () => {
    kubectl = await cluster().inNew('nodes');
  });

  /** Names of the nodes of the pods of an app. */
  const nodesOf = async (app: string): Promise<string[]> =>
    (await kubectl.ok`get pods --selector=${`app=${app}`} -o jsonpath={.items[*].spec.nodeName}`)
      .split(' ')
      .filter((name) => name !== '')
      .sort();
  const rolledOut = (app: string): Promise<string> => kubectl.ok`rollout status deployment/${app} --timeout=60s`;
  /** Creates a deployment whose pods have more in their specification. */
  const create = (app: string, replicas: number, podSpec: object): Promise<string> => {
    const labels = { app };
    return kubectl.input({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: app },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'app' }], ...podSpec } },
      },
    }).ok`create -f -`;
  };

  it('shows its nodes', async () => {
    assert.deepEqual(
      rows(await kubectl.ok`get nodes`).map((row) => row.slice(0, 4)),
      [
        ['NAME', 'STATUS', 'ROLES', 'AGE'],
        ...['node-1', 'node-2', 'node-3'].map((name) => [name, 'Ready', '<none>', 'AGE']),
      ],
    );
    const shown = await kubectl.ok`describe node node-1`;
    for (const part of [
      /^ {2}Ready +True .* KubeletReady /m,
      /^ +topology\.kubernetes\.io\/zone=zone-a$/m,
      /^ {2}cpu: +32$/m,
      /^ {2}Normal +RegisteredNode /m,
    ])
      assert.match(shown, part);
  });

  it('shows that the parts of the control plane work', async () => {
    assert.deepEqual(
      rows(await kubectl.ok`get componentstatuses`).slice(1),
      ['controller-manager', 'scheduler', 'etcd-0'].map((name) => [name, 'Healthy', 'ok']),
    );
  });

  it('keeps new pods off a cordoned node', async () => {
    await kubectl.ok`cordon node-1 node-2`;
    assert.match(await kubectl.ok`get node node-1`, /node-1 +Ready,SchedulingDisabled /);
    await kubectl.ok`create deployment squeezed --image=app --replicas=3`;
    await rolledOut('squeezed');
    assert.deepEqual(await nodesOf('squeezed'), ['node-3', 'node-3', 'node-3']);
    await kubectl.ok`uncordon node-1 node-2`;
    await kubectl.ok`delete deployment squeezed`;
  });

  it('drains a node as far as a budget allows', async () => {
    await kubectl.ok`create deployment guarded --image=app --replicas=3`;
    await kubectl.input({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent' },
      spec: { selector: { matchLabels: { app: 'agent' } }, template: podTemplate('agent', 'agent') },
    }).ok`create -f -`;
    await rolledOut('guarded');
    await kubectl.ok`rollout status daemonset/agent`;
    await kubectl.ok`create poddisruptionbudget guarded --selector=app=guarded --min-available=3`;
    await eventually(
      async () => /guarded +3 +N\/A +0 /.test(await kubectl.ok`get poddisruptionbudget guarded`),
      'a budget without room',
    );
    const [node] = await nodesOf('guarded');
    const flags = ['--ignore-daemonsets', '--delete-emptydir-data'];
    assert.match(
      await kubectl.fails`drain ${node} ${flags[0]} ${flags[1]} --timeout=2s`,
      /Cannot evict pod as it would violate the pod's disruption budget/,
    );
    assert.equal((await nodesOf('guarded')).length, 3);
    assert.match(await kubectl.fails`drain ${node} --timeout=2s`, /cannot delete (DaemonSet-managed Pods|.*DaemonSet)/);

    await kubectl.ok`patch poddisruptionbudget guarded -p ${JSON.stringify({ spec: { minAvailable: 2 } })}`;
    const drained = await kubectl.ok`drain ${node} ${flags[0]} ${flags[1]} --timeout=60s`;
    assert.match(drained, new RegExp(`pod/guarded-\\S+ evicted\nnode/${node} drained\n$`));
    await rolledOut('guarded');
    assert.ok(!(await nodesOf('guarded')).includes(node!));
    assert.equal((await nodesOf('agent')).length, 3);
    await kubectl.ok`uncordon ${node}`;
    await kubectl.ok`delete poddisruptionbudget/guarded deployment/guarded daemonset/agent`;
  });

  it('evicts what does not tolerate a taint', async () => {
    await kubectl.ok`create deployment frail --image=app --replicas=3`;
    await rolledOut('frail');
    assert.deepEqual(await nodesOf('frail'), ['node-1', 'node-2', 'node-3']);
    await kubectl.ok`taint node node-2 maintenance=now:NoExecute`;
    await eventually(async () => {
      const nodes = await nodesOf('frail');
      return nodes.length === 3 && !nodes.includes('node-2');
    }, 'no pod on a tainted node');
    await rolledOut('frail');
    assert.match(
      await kubectl.ok`get events --field-selector=reason=TaintManagerEviction`,
      /Normal +TaintManagerEviction +pod\/frail-\S+ +Marking for deletion Pod nodes\/frail-/,
    );
    assert.equal(await kubectl.ok`taint node node-2 maintenance-`, 'node/node-2 untainted\n');
    await kubectl.ok`delete deployment frail`;
  });

  it('spreads over zones by labels of nodes', async () => {
    await create('spread', 4, {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'spread' } },
        },
      ],
    });
    await rolledOut('spread');
    const nodes = await nodesOf('spread');
    assert.equal(nodes.filter((name) => name === 'node-2').length, 2, String(nodes));
    await kubectl.ok`delete deployment spread`;
  });

  it('makes room for a pod of high priority', async () => {
    const large = {
      nodeSelector: { 'kubernetes.io/hostname': 'node-3' },
      containers: [{ name: 'a', image: 'app', resources: { requests: { cpu: '20' } } }],
    };
    await kubectl.ok`create priorityclass urgent --value=1000`;
    await kubectl.input(pod('modest', {}, large)).ok`create -f -`;
    await kubectl.ok`wait --for=condition=Ready pod/modest --timeout=60s`;
    await kubectl.input(pod('urgent', {}, { ...large, priorityClassName: 'urgent' })).ok`create -f -`;
    await kubectl.ok`wait --for=condition=Ready pod/urgent --timeout=60s`;
    assert.match(await kubectl.fails`get pod modest`, /not found/);
    assert.match(
      await kubectl.ok`get events --field-selector=reason=Preempted`,
      /Normal +Preempted +pod\/modest +Preempted by pod /,
    );
    await kubectl.ok`delete pod/urgent priorityclass/urgent`;
  });

  it('moves pods away from a node that fails, until it recovers', async () => {
    const unreachable = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' };
    await create('moved', 3, { tolerations: [{ ...unreachable, tolerationSeconds: 1 }] });
    await kubectl.ok`expose deployment moved --port=80`;
    await rolledOut('moved');
    const command = (verb: string): Promise<Finished> =>
      runProgram(process.execPath, [program, 'node', verb, 'node-2', '--kubeconfig', cluster().server.kubeconfig]);
    const failed = await command('fail');
    assert.equal(failed.status, 0, failed.stderr);
    await kubectl.ok`wait --for=condition=Ready=Unknown node/node-2 --timeout=60s`;
    assert.match(await kubectl.ok`get node node-2`, /node-2 +NotReady /);
    const taints =
      /Taints: +node\.kubernetes\.io\/unreachable:NoExecute\n +node\.kubernetes\.io\/unreachable:NoSchedule/;
    await eventually(async () => taints.test(await kubectl.ok`describe node node-2`), 'both taints');
    await eventually(async () => {
      const running = await kubectl.json`get pods --selector=app=moved`;
      const nodes = running.items
        .filter(({ metadata }: any) => metadata.deletionTimestamp === undefined)
        .map(({ spec }: any) => spec.nodeName);
      return nodes.length === 3 && !nodes.includes('node-2');
    }, 'three pods on other nodes');
    assert.match(await kubectl.ok`get pods --selector=app=moved`, /moved-\S+ +1\/1 +Terminating /);
    assert.equal((await command('recover')).status, 0);
    await kubectl.ok`wait --for=condition=Ready node/node-2 --timeout=60s`;
    await eventually(async () => (await nodesOf('moved')).length === 3, 'no pod that is still to go');
    await eventually(
      async () => (await kubectl.ok`get node node-2 -o jsonpath={.spec.taints}`) === '',
      'no taint on a node that is well',
    );
    await kubectl.ok`delete service/moved deployment/moved`;
  });
});
