import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../test/fixtures/test-server.ts';

describe('the service accounts of up', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ args: ['--enable-admission-plugins=NodeRestriction'] });
  });
  after(() => server.stop());

  it('are there for the first pod', async () => {
    const { client } = server;
    const accounts = (await client.get('/api/v1/serviceaccounts')).json.items as {
      metadata: { namespace: string; name: string };
    }[];
    assert.deepEqual(
      accounts.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
      ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((namespace) => `${namespace}/default`),
    );
    const { status, json } = await client.post('/api/v1/namespaces/default/pods', {
      metadata: { name: 'first' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    assert.deepEqual([status, json.spec.serviceAccountName], [201, 'default']);
  });
});
