import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

describe('namespaces/finalize', () => {
  let api: TestServer;
  before(async () => {
    api = await startTestServer();
  });
  after(() => api.stop());

  it('removes a namespace that is being deleted with its last finalizer', async () => {
    await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
    const early = await api.send('PUT', '/api/v1/namespaces/n/finalize', {
      metadata: { name: 'n' },
      spec: { finalizers: ['kubernetes', 'example.com/own'] },
    });
    assert.deepEqual([early.status, early.body.spec.finalizers], [200, ['kubernetes', 'example.com/own']]);
    assert.equal((await api.send('DELETE', '/api/v1/namespaces/n')).body.status.phase, 'Terminating');
    const refused = await api.send('POST', '/api/v1/namespaces/n/configmaps', { metadata: { name: 'x' } });
    assert.deepEqual([refused.status, refused.body.details.causes[0].reason], [403, 'NamespaceTerminating']);
    const held = await api.send('PUT', '/api/v1/namespaces/n/finalize', {
      metadata: { name: 'n' },
      spec: { finalizers: ['example.com/own'] },
    });
    assert.deepEqual([held.status, held.body.spec.finalizers], [200, ['example.com/own']]);
    assert.equal(
      (await api.send('PUT', '/api/v1/namespaces/n/finalize?dryRun=All', { metadata: { name: 'n' }, spec: {} })).status,
      200,
    );
    assert.equal((await api.send('GET', '/api/v1/namespaces/n')).status, 200);
    assert.equal(
      (await api.send('PUT', '/api/v1/namespaces/n/finalize', { metadata: { name: 'n' }, spec: {} })).status,
      200,
    );
    assert.equal((await api.send('GET', '/api/v1/namespaces/n')).status, 404);
  });

  it('keeps a living namespace without finalizers', async () => {
    await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'm', finalizers: ['example.com/meta'] } });
    await api.send('PUT', '/api/v1/namespaces/m/finalize', {
      metadata: { name: 'm', finalizers: ['example.com/meta'] },
      spec: {},
    });
    assert.equal((await api.send('GET', '/api/v1/namespaces/m')).status, 200);
    assert.equal((await api.send('DELETE', '/api/v1/namespaces/m')).body.status.phase, 'Terminating');
    await api.send(
      'PATCH',
      '/api/v1/namespaces/m',
      { metadata: { finalizers: null } },
      { 'content-type': 'application/merge-patch+json' },
    );
    assert.equal((await api.send('GET', '/api/v1/namespaces/m')).status, 404);
  });
});
