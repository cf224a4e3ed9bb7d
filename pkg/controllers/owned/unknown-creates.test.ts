import assert from 'node:assert/strict';
import { pods } from '../../api/core/tokens.ts';
import { ConnectionError } from '../../client/rest/client.ts';
import { FakeClient } from '../../client/testing/fake-client-testing.ts';
import { forbidden } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { UnknownCreates } from './unknown-creates.ts';

describe('UnknownCreates', () => {
  let client: FakeClient;
  let unknown: UnknownCreates;
  beforeEach(() => {
    client = new FakeClient();
    unknown = new UnknownCreates(client);
  });
  const podOf = (owner: string, name: string, labels: Record<string, string>): Pod => ({
    metadata: {
      name,
      namespace: 'ns',
      labels,
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: owner, uid: owner, controller: true }],
    },
    spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }] },
    status: {},
  });
  const found = async (owner: string): Promise<readonly string[]> => {
    const names: string[] = [];
    await unknown.find(owner, ({ metadata }) => names.push(metadata.name!));
    return names.sort();
  };

  it('finds the pods of every create of an owner that was not answered, whatever their own labels, and once', async () => {
    for (const index of ['0', '1', '2']) {
      const pod = podOf('job', `p${index}`, { job: 'job', index });
      await client.create(pods, pod);
      unknown.failed('job', pod, new ConnectionError('lost'));
    }
    await client.create(pods, podOf('other', 'stranger', { job: 'job' }));
    assert.deepEqual(await found('job'), ['p0', 'p1', 'p2']);
    assert.deepEqual(await found('job'), []);
  });

  it('asks nothing where a create was refused', async () => {
    const pod = podOf('job', 'p', { job: 'job' });
    unknown.failed('job', pod, forbidden({ group: '', resource: 'pods' }, 'p', 'no'));
    assert.deepEqual(await found('job'), []);
    assert.deepEqual(client.calls, []);
  });
});
