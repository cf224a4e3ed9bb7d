/**
 * The chart that deploys Binnacle, installed into Binnacle: what it renders is valid, and starts the program with
 * options it has.
 */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import type { Deployment } from '../../pkg/generated/types/apps-v1.ts';
import { apiServerOptions } from '../../pkg/options/api-server-options.ts';
import { controllerManagerOptions } from '../../pkg/options/controller-manager-options.ts';
import { readOptions } from '../../pkg/options/parse-options.ts';
import { schedulerOptions } from '../../pkg/options/scheduler-options.ts';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { runProgram, toolPath } from '../fixtures/run-program.ts';

const chart = resolve(import.meta.dirname, '../../charts/binnacle');

describe('charts/binnacle', function () {
  this.timeout(60_000);
  let server: BinnacleProcess;
  let client: ApiClient;

  before(async () => {
    server = await startBinnacle();
    client = new ApiClient(server.url, server.token);
  });

  after(async () => {
    client.close();
    await server.stop();
  });

  it('installs, and runs the API server with known options', async () => {
    const installed = await runProgram(
      toolPath('helm-3.17'),
      [
        'install',
        'cp',
        chart,
        '--set',
        'image.repository=registry.example/binnacle,controllerManager.signingSecret=authority',
      ],
      { env: { KUBECONFIG: server.kubeconfig } },
    );
    assert.equal(installed.status, 0, installed.stderr);
    const deployment = await client.get('/apis/apps/v1/namespaces/default/deployments/cp-apiserver');
    assert.equal(deployment.status, 200);
    const args = deployment.json.spec.template.spec.containers[0].args as string[];
    assert.ok(args.length > 5);
    const { values: options, problems } = readOptions(
      apiServerOptions,
      'apiserver',
      args.map((a) => a.replace('$(POD_IP)', '192.0.2.7')),
    );
    // The files are mounted into the container, and are not here.
    assert.deepEqual(
      problems.filter((problem) => !problem.endsWith('there is no such file')),
      [],
    );
    assert.deepEqual(options.list('authorization-mode'), ['Node', 'RBAC']);
    assert.deepEqual(options.list('store-servers'), [
      'https://etcd-0.etcd:2379',
      'https://etcd-1.etcd:2379',
      'https://etcd-2.etcd:2379',
    ]);
    assert.equal(
      (await client.get('/apis/policy/v1/namespaces/default/poddisruptionbudgets/cp-apiserver')).status,
      200,
    );
    assert.equal(
      (await client.get('/api/v1/namespaces/default/services/cp-apiserver')).json.spec.ports[0].targetPort,
      'https',
    );
  });

  it('runs the controller manager and the scheduler with known options', async () => {
    const programs = [
      ['controller-manager', controllerManagerOptions],
      ['scheduler', schedulerOptions],
    ] as const;
    for (const [name, options] of programs) {
      const { json } = await client.get(`/apis/apps/v1/namespaces/default/deployments/cp-${name}`);
      const [container] = (json as Deployment).spec.template.spec!.containers!;
      assert.equal(container!.command![2], name);
      const read = readOptions(options, name, container!.args!);
      // The files are mounted into the container, and are not here.
      assert.deepEqual(
        read.problems.filter((problem) => !/no such file/.test(problem)),
        [],
      );
      assert.ok(read.values.bool('leader-elect'));
    }
  });

  it('refuses to render without an image', async () => {
    const rendered = await runProgram(toolPath('helm-3.17'), ['template', 'cp', chart], {
      env: { KUBECONFIG: server.kubeconfig },
    });
    assert.notEqual(rendered.status, 0);
    assert.match(rendered.stderr, /image\.repository is needed/);
  });
});
