import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '../../test/fixtures/until.ts';
import { TestAuthority } from '../net/certificates-testing.ts';
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

describe('the controllers of a server', () => {
  const flowControl = '--runtime-config=flowcontrol.apiserver.k8s.io/v1=false';

  it('leave out what the server does not serve, and it is ready all the same', async () => {
    const server = await startTestServer({ args: [flowControl] });
    try {
      const { status, body } = await server.client.get('/readyz?verbose');
      assert.equal(status, 200, body.toString());
      const text = (await server.client.get('/metrics')).body.toString();
      assert.match(text, /^workqueue_adds_total\{name="system-namespaces"\} [1-9]/m);
      assert.doesNotMatch(text, /name="flow-control-objects"/);
    } finally {
      await server.stop();
    }
    assert.deepEqual(server.errors, []);
  });

  it('hold up neither the start nor each other where one cannot do its work', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-server-controllers-'));
    const file = path.join(dir, 'ca.crt');
    writeFileSync(file, (await TestAuthority.create()).pem);
    const server = await startTestServer({ args: [`--client-ca-file=${file}`] });
    try {
      rmSync(file);
      // Whatever wakes it up: its file is gone.
      const where = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
      await server.client.delete(where);
      await until(() => server.errors.length > 0, 'the failure is reported');
      assert.match(server.errors[0]!, /^cluster-authentication-trust .*: Error: ENOENT/);
      assert.equal((await server.client.get('/readyz')).status, 200);
      const { json } = await server.client.post('/api/v1/namespaces', { metadata: { name: 'later' } });
      assert.equal(json.metadata.name, 'later');
      await until(
        async () => (await server.client.get('/api/v1/namespaces/later/serviceaccounts/default')).status === 200,
        'another controller works',
      );
    } finally {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
