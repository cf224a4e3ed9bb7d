import assert from 'node:assert/strict';
import { eachKubectl } from './each-version.ts';
import { documents, node, pod } from './manifests.ts';
import { lines, rows } from './printed.ts';

eachKubectl('nodes', (bench) => {
  before(async () => {
    const { kubectl, api } = bench();
    await kubectl.input(
      documents(
        node('nodes-1', { 'node-role.kubernetes.io/worker': '' }),
        node('nodes-2'),
        pod('free', { app: 'free' }, { nodeName: 'nodes-1' }),
        pod('guarded', { app: 'guarded' }, { nodeName: 'nodes-1' }),
        pod('elsewhere', {}, { nodeName: 'nodes-2' }),
        {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'guard' },
          spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
        },
      ),
    ).ok`create -f -`;
    // What the node agents write.
    for (const name of ['nodes-1', 'nodes-2']) {
      const answer = await api.patch(`/api/v1/nodes/${name}/status`, 'merge', {
        status: {
          conditions: [{ type: 'Ready', status: 'True' }],
          capacity: { cpu: '4', memory: '8Gi', pods: '110' },
          allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
          addresses: [{ type: 'InternalIP', address: '192.0.2.10' }],
          nodeInfo: {
            kubeletVersion: 'v1.25.0',
            osImage: 'Debian',
            kernelVersion: '6.1',
            containerRuntimeVersion: 'containerd://1.7',
          },
        },
      });
      assert.equal(answer.status, 200);
    }
    for (const name of ['free', 'guarded', 'elsewhere']) {
      const answer = await api.patch(`/api/v1/namespaces/nodes/pods/${name}/status`, 'merge', {
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      });
      assert.equal(answer.status, 200);
    }
  });

  it('prints nodes', async () => {
    const { kubectl } = bench();
    assert.deepEqual(rows(await kubectl.ok`get nodes nodes-1 nodes-2`), [
      ['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION'],
      ['nodes-1', 'Ready', 'worker', 'AGE', 'v1.25.0'],
      ['nodes-2', 'Ready', '<none>', 'AGE', 'v1.25.0'],
    ]);
    assert.deepEqual(rows(await kubectl.ok`get node nodes-1 -o wide`)[1]!.slice(5), [
      '192.0.2.10',
      '<none>',
      'Debian',
      '6.1',
      'containerd://1.7',
    ]);
  });

  it('cordons and uncordons', async () => {
    const { kubectl } = bench();
    assert.equal(await kubectl.ok`cordon nodes-1`, 'node/nodes-1 cordoned\n');
    assert.equal(await kubectl.ok`cordon nodes-1`, 'node/nodes-1 already cordoned\n');
    assert.equal(rows(await kubectl.ok`get node nodes-1`)[1]![1], 'Ready,SchedulingDisabled');
    assert.equal(await kubectl.ok`uncordon nodes-1`, 'node/nodes-1 uncordoned\n');
    assert.equal(rows(await kubectl.ok`get node nodes-1`)[1]![1], 'Ready');
    assert.equal(await kubectl.ok`cordon nodes-1 --dry-run=server`, 'node/nodes-1 cordoned (server dry run)\n');
    assert.equal(await kubectl.ok`get node nodes-1 -o jsonpath={.spec.unschedulable}`, '');
  });

  it('taints', async () => {
    const { kubectl } = bench();
    assert.equal(await kubectl.ok`taint node nodes-1 dedicated=gpu:NoSchedule`, 'node/nodes-1 tainted\n');
    assert.match(
      await kubectl.fails`taint node nodes-1 dedicated=tpu:NoSchedule`,
      /node nodes-1 already has dedicated taint\(s\) with same effect\(s\) and --overwrite is false/,
    );
    assert.equal(await kubectl.ok`taint node nodes-1 dedicated=tpu:NoSchedule --overwrite`, 'node/nodes-1 modified\n');
    assert.deepEqual(
      (await kubectl.json`get node nodes-1`).spec.taints.filter((t: { key: string }) => t.key === 'dedicated'),
      [{ effect: 'NoSchedule', key: 'dedicated', value: 'tpu' }],
    );
    assert.equal(await kubectl.ok`taint node nodes-1 dedicated-`, 'node/nodes-1 untainted\n');
    assert.match(await kubectl.fails`taint node nodes-1 a=b:Sometimes`, /invalid taint effect: Sometimes/);
  });

  it('drains, if only in trying', async () => {
    const { kubectl } = bench();
    assert.match(
      await kubectl.fails`drain nodes-1 --dry-run=server`,
      /cannot delete [Pp]ods (that )?declare no controller \(use --force to override\): nodes\/free, nodes\/guarded/,
    );
    // The budget lets one go only when its controller has seen the pod.
    await kubectl.ok`delete pdb guard`;
    const { status, stdout } = await kubectl.run`drain nodes-1 --force --dry-run=server`;
    assert.equal(status, 0);
    assert.deepEqual(lines(stdout).toSorted(), [
      'evicting pod nodes/free (server dry run)',
      'evicting pod nodes/guarded (server dry run)',
      'node/nodes-1 cordoned (server dry run)',
      'node/nodes-1 drained (server dry run)',
    ]);
    assert.equal(await kubectl.ok`get pods --field-selector spec.nodeName=nodes-1 -o name`, 'pod/free\npod/guarded\n');
  });

  it('evicts what a budget allows', async () => {
    const { kubectl, api } = bench();
    await kubectl.ok`create pdb guard --selector=app=guarded --min-available=1`;
    const budget = async (disruptionsAllowed: number): Promise<void> => {
      const answer = await api.patch('/apis/policy/v1/namespaces/nodes/poddisruptionbudgets/guard/status', 'merge', {
        status: {
          observedGeneration: 1,
          disruptionsAllowed,
          expectedPods: 2,
          currentHealthy: 1 + disruptionsAllowed,
          desiredHealthy: 1,
        },
      });
      assert.equal(answer.status, 200);
    };
    await budget(0);
    const evict = kubectl.input({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'guarded', namespace: 'nodes' },
    });
    assert.match(
      await evict.fails`create --raw /api/v1/namespaces/nodes/pods/guarded/eviction -f -`,
      /Cannot evict pod as it would violate the pod's disruption budget/,
    );
    await budget(1);
    assert.equal(
      JSON.parse(await evict.ok`create --raw /api/v1/namespaces/nodes/pods/guarded/eviction -f -`).status,
      'Success',
    );
    assert.match((await kubectl.json`get pod guarded`).metadata.deletionTimestamp, /^\d{4}-/);
    assert.equal((await kubectl.json`get pdb guard`).status.disruptionsAllowed, 0);
  });
});
