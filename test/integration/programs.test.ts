import assert from 'node:assert/strict';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { startProgramProcess, type ProgramProcess } from '../fixtures/manager-process.ts';
import { until } from '../fixtures/until.ts';

const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments';

/** A cluster of four processes: server, manager, scheduler and simulated nodes. */
describe('programs beside an API server', function () {
  this.timeout(90_000);
  let server: BinnacleProcess;
  let client: ApiClient;
  const programs: ProgramProcess[] = [];
  before(async () => {
    // Taints of new nodes are a matter of the controller of nodes.
    server = await startBinnacle(['--disable-admission-plugins=ServiceAccount,TaintNodesByCondition']);
    client = new ApiClient(server.url, server.token);
    const commands = [
      ['controller-manager', '--port=0'],
      ['scheduler', '--leader-elect-resource-name=other-scheduler'],
      ['simulate-nodes', '--simulated-nodes=2'],
    ];
    for (const args of commands) {
      const common = ['--secure-port=0', `--kubeconfig=${server.kubeconfig}`, '--cluster-api-qps=200'];
      programs.push(await startProgramProcess([...args, ...common], 'the leader is'));
    }
  });
  after(async () => {
    assert.deepEqual(await Promise.all(programs.map((program) => program.stop())), [0, 0, 0]);
    client.close();
    await server.stop();
  });

  it('make a deployment available on nodes that they simulate', async () => {
    const labels = { app: 'web' };
    const answer = await client.post(DEPLOYMENT, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 4,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    assert.equal(answer.status, 201, String(answer.body));
    await until(
      async () => (await client.get(`${DEPLOYMENT}/web`)).json.status?.availableReplicas === 4,
      'four replicas are available',
    );
    const { items } = (await client.get('/api/v1/namespaces/default/pods')).json;
    const nodes = new Set(items.map((pod: { spec: { nodeName: string } }) => pod.spec.nodeName));
    assert.equal(nodes.size, 2);
    const leases = (await client.get('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases')).json.items;
    const names = leases.map((lease: { metadata: { name: string } }) => lease.metadata.name);
    for (const name of ['kube-controller-manager', 'other-scheduler', 'binnacle-simulate-nodes'])
      assert.ok(names.includes(name), `${name} in ${names}`);
  });

  it('log JSON objects alone, also what the server warns of', async () => {
    const [manager] = programs;
    await until(() => /"warning":"v1 Endpoints is deprecated/.test(manager!.output), 'the manager logs a warning');
    for (const { output } of programs)
      for (const line of output.trim().split('\n')) assert.doesNotThrow(() => void JSON.parse(line), line);
  });
});
