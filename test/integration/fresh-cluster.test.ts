/** What a new cluster has besides what its users make. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ApiClient } from '../fixtures/api-client.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const services = '/apis/apiregistration.k8s.io/v1/apiservices';

async function list(client: ApiClient, at: string): Promise<any[]> {
  const { status, json } = await client.get(at);
  assert.equal(status, 200, at);
  return json.items;
}

/** `v1.apps` and so on, as discovery tells it, as far as stable; the aggregator's own group has no objects. */
async function servedVersions(client: ApiClient): Promise<string[]> {
  const { json } = await client.get('/apis');
  const groups = json.groups.filter(({ name }: { name: string }) => name !== 'apiregistration.k8s.io');
  return [
    'v1.',
    ...groups.flatMap((group: any) =>
      group.versions.map(({ version }: { version: string }) => `${version}.${group.name}`),
    ),
  ]
    .filter((name) => /^v\d+\./.test(name))
    .sort();
}

describe('a fresh cluster', () => {
  it('has an available APIService for each stable group version, in the order of discovery, that follows what is served', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-fresh-'));
    try {
      let server = await startTestServer({ dir });
      const before = await list(server.client, services);
      assert.deepEqual(
        before.map(({ metadata }) => metadata.name),
        await servedVersions(server.client),
      );
      for (const { metadata, spec, status } of before) {
        assert.deepEqual(metadata.labels, { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' });
        assert.equal(spec.service, undefined);
        assert.deepEqual(
          status.conditions.map((c: any) => [c.type, c.status, c.reason]),
          [['Available', 'True', 'Local']],
          metadata.name,
        );
      }
      const { json } = await server.client.get('/apis');
      for (const { name, versions } of json.groups.filter((group: any) => group.name !== 'apiregistration.k8s.io')) {
        const priorities = versions
          .filter(({ version }: any) => /^v\d+$/.test(version))
          .map(
            ({ version }: any) =>
              before.find(({ spec }) => spec.group === name && spec.version === version).spec.versionPriority,
          );
        assert.deepEqual(
          priorities,
          priorities.toSorted((a: number, b: number) => b - a),
          name,
        );
      }
      assert.deepEqual((await server.client.delete(`${services}/v1.batch`)).status, 200);
      await server.stop();
      assert.deepEqual(server.errors, []);

      server = await startTestServer({ dir, args: ['--runtime-config=autoscaling/v1=false'] });
      const after = (await list(server.client, services)).map(({ metadata }) => metadata.name);
      assert.deepEqual(
        after,
        before.map(({ metadata }) => metadata.name).filter((name) => name !== 'v1.autoscaling'),
      );
      await server.stop();
      assert.deepEqual(server.errors, []);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
