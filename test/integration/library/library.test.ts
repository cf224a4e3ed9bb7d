/** The package as an operator's test imports it. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deployments } from '../../../pkg/api/apps/tokens.ts';
import { nodes, serviceAccounts } from '../../../pkg/api/core/tokens.ts';
import type { RestClient } from '../../../pkg/client/rest/rest-client.ts';
import type { Deployment } from '../../../pkg/generated/types/apps-v1.ts';
import { startControlPlane } from '../../../pkg/library/index.ts';
import { until } from '../../fixtures/until.ts';
import { clientOf, ownTemporaryDirectory } from './library-clusters.ts';

const ARGS = ['--disable-admission-plugins=TaintNodesByCondition'];

describe('the library', function () {
  this.timeout(60_000);

  const temporary = ownTemporaryDirectory();
  const temporaries = (): readonly string[] => readdirSync(temporary());
  const deployment = (name: string): Deployment => ({
    metadata: { name, namespace: 'default' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      strategy: {},
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }] },
      },
    },
    status: {},
  });

  it('runs clusters side by side, in which deployments become available, and leaves nothing behind', async () => {
    const planes = await Promise.all([startControlPlane({ args: ARGS }), startControlPlane({ args: ARGS })]);
    const [one, two] = planes.map((plane) => clientOf(plane)) as [RestClient, RestClient];
    try {
      assert.equal(temporaries().length, 2);
      await one.create(deployments, deployment('web'));
      await until(async () => {
        const { status } = await one.get(deployments, { namespace: 'default', name: 'web' });
        return status.availableReplicas === 1;
      }, 'an available deployment');
      assert.equal((await two.list(deployments)).items.length, 0);
    } finally {
      one.close();
      two.close();
      for (const plane of planes) await plane.stop();
    }
    assert.deepEqual(temporaries(), []);
  });

  it('rejects wrong options with all of them, and leaves nothing behind', async () => {
    await assert.rejects(
      startControlPlane({ args: ['--nope', '--event-ttl=soon'] }),
      /unknown option --nope[\s\S]*--event-ttl=soon/,
    );
    assert.deepEqual(temporaries(), []);
  });

  it('is ready when its controllers have worked once, and runs none that is left out', async () => {
    for (const [controllers, wanted] of [
      ['*', 1],
      ['*,-serviceaccount', 0],
    ] as const) {
      const plane = await startControlPlane({ args: [`--controllers=${controllers}`] });
      const client = clientOf(plane);
      assert.equal((await client.list(serviceAccounts, { namespace: 'default' })).items.length, wanted, controllers);
      client.close();
      await plane.stop();
    }
  });

  it('stops once, also at the end of a block, and simulates the nodes that it is given', async () => {
    const labels = { tier: 'front' };
    {
      await using plane = await startControlPlane({
        nodes: [{ kind: 'Node', metadata: { name: 'edge', labels } }],
        scheduler: false,
      });
      const client = clientOf(plane);
      await until(async () => (await client.list(nodes)).items.length === 1, 'a node');
      assert.equal((await client.get(nodes, { name: 'edge' })).metadata.labels?.['tier'], 'front');
      client.close();
      await Promise.all([plane.stop(), plane.stop()]);
    }
    assert.deepEqual(temporaries(), []);
    await assert.rejects(startControlPlane({ nodes: [{ kind: 'Node' } as never] }), /^Error: nodes: must be a number/);
    assert.deepEqual(temporaries(), []);
  });

  it('measures pods, unless all nodes are as kwok has them', async () => {
    const fast = { kind: 'Node', metadata: { name: 'fast', annotations: { 'kwok.x-k8s.io/node': 'fake' } } } as const;
    for (const [nodes, isServed] of [
      [1, true],
      [[fast], false],
    ] as const) {
      const plane = await startControlPlane({ nodes });
      const client = clientOf(plane);
      const { groups } = await client.getPath<{ groups: readonly { name: string }[] }>('/apis');
      assert.equal(
        groups.some(({ name }) => name === 'metrics.k8s.io'),
        isServed,
      );
      client.close();
      await plane.stop();
    }
  });

  it('keeps the data of a directory that it is given', async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'library-data-'));
    try {
      for (const wanted of [0, 1]) {
        const plane = await startControlPlane({ dataDir, nodes: 0, controllers: [] });
        const client = clientOf(plane);
        assert.equal((await client.list(deployments)).items.length, wanted);
        if (wanted === 0) await client.create(deployments, deployment('kept'));
        client.close();
        await plane.stop();
      }
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
