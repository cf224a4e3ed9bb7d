import assert from 'node:assert/strict';
import { deployments } from '../../api/apps/tokens.ts';
import { configMaps } from '../../api/core/tokens.ts';
import { resourceToken } from '../../api/resource.ts';
import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { FakeClient } from '../testing/fake-client-testing.ts';
import { readScale, writeScale } from './scale.ts';

interface Scalable extends ApiObject {
  spec?: { replicas?: number };
}
const name = { namespace: 'n', name: 'web' };

describe('scale', () => {
  for (const resource of [deployments, resourceToken('example.com/v1', 'widgets', 'Widget', true)]) {
    it(`reads and sets the replicas of ${resource.resource}`, async () => {
      const client = new FakeClient();
      client.cluster.put<ApiObject>(resource, { metadata: name, spec: { replicas: 2, size: 'L' } } as Scalable);
      const scale = await readScale(client, resource, name);
      assert.equal(scale.spec.replicas, 2);
      assert.equal((await writeScale(client, resource, scale, 5)).spec.replicas, 5);
      const { spec } = client.cluster.find<Scalable>(resource as typeof resource & { objectType?: Scalable }, name)!;
      assert.deepEqual(spec, { replicas: 5, size: 'L' });
      await assert.rejects(writeScale(client, resource, scale, 7), isConflict);
    });
  }

  it('is not there for kinds without replicas', async () => {
    const client = new FakeClient();
    await client.create(configMaps, { metadata: name });
    await assert.rejects(readScale(client, configMaps, name), isNotFound);
  });
});
