import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

describe('requests that need a node', () => {
  let api: TestServer;
  const pods = '/api/v1/namespaces/default/pods';
  before(async () => {
    api = await startTestServer();
    const container = (name: string) => ({ name, image: 'i:1' });
    const pod = (name: string, spec: object) => api.send('POST', pods, { metadata: { name }, spec });
    await pod('one', { containers: [container('a')] });
    await pod('two', { containers: [container('a'), container('b')], initContainers: [container('i')] });
    await pod('placed', { containers: [container('a')], nodeName: 'n1' });
    await pod('lost', { containers: [container('a')], nodeName: 'gone' });
    await api.send('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    await api.send(
      'PATCH',
      '/api/v1/nodes/n1/status',
      { status: { addresses: [{ type: 'InternalIP', address: '192.0.2.7' }] } },
      { 'content-type': 'application/merge-patch+json' },
    );
    await api.send('POST', '/api/v1/nodes', { metadata: { name: 'n2' } });
  });
  after(() => api.stop());
  const ask = async (path: string) => {
    const { status, body } = await api.send('GET', path);
    return [status, body.message ?? body];
  };

  it('log has nothing to show before a pod is placed', async () => {
    assert.deepEqual(await ask(`${pods}/one/log`), [204, '']);
    assert.deepEqual(await ask(`${pods}/none/log`), [404, 'pods "none" not found']);
    assert.deepEqual(await ask(`${pods}/two/log`), [
      400,
      'a container name must be specified for pod two, choose one of: [i a b]',
    ]);
    assert.deepEqual(await ask(`${pods}/two/log?container=i`), [204, '']);
    assert.deepEqual(await ask(`${pods}/one/log?container=x`), [400, 'container x is not valid for pod one']);
    assert.deepEqual(await ask(`${pods}/lost/log`), [404, 'nodes "gone" not found']);
    assert.deepEqual(await ask(`${pods}/placed/log`), [
      500,
      'Get "https://192.0.2.7:10250/containerLogs/default/placed/a": dial tcp 192.0.2.7:10250: connect: connection refused',
    ]);
  });

  it('log checks its options', async () => {
    assert.deepEqual(await ask(`${pods}/one/log?tailLines=-1`), [
      422,
      'PodLogOptions "one" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ]);
    assert.equal((await ask(`${pods}/one/log?limitBytes=0`))[0], 422);
    assert.equal((await ask(`${pods}/one/log?sinceSeconds=1&sinceTime=2026-01-02T03:04:05Z`))[0], 422);
    assert.equal((await ask(`${pods}/one/log?sinceTime=yesterday`))[0], 400);
    assert.equal((await ask(`${pods}/one/log?tailLines=x`))[0], 400);
  });

  it('streams need a node', async () => {
    for (const path of ['exec', 'attach', 'portforward']) {
      assert.deepEqual(await ask(`${pods}/one/${path}`), [400, 'pod one does not have a host assigned']);
      assert.deepEqual(await ask(`${pods}/none/${path}`), [404, 'pods "none" not found']);
      assert.deepEqual(await ask(`${pods}/placed/${path}`), [400, 'Upgrade request required']);
    }
    assert.equal((await ask(`${pods}/two/exec?command=ls`))[0], 400);
  });

  it('proxies need a target', async () => {
    assert.deepEqual(await ask(`${pods}/one/proxy/`), [400, 'address not allowed']);
    assert.deepEqual(await ask(`${pods}/ftp:one:80/proxy/x`), [400, 'invalid pod request "ftp:one:80"']);
    assert.deepEqual(await ask('/api/v1/nodes/none/proxy/stats'), [404, 'nodes "none" not found']);
    assert.equal((await ask('/api/v1/nodes/https:n1:10250/proxy/'))[0], 503);
    assert.deepEqual(await ask('/api/v1/nodes/n2/proxy/'), [500, 'no preferred addresses found; known addresses: []']);
    const services = '/api/v1/namespaces/default/services';
    assert.deepEqual(await ask(`${services}/none/proxy/`), [404, 'endpoints "none" not found']);
    assert.deepEqual(await ask(`${services}/kubernetes:99/proxy/`), [
      503,
      'no service port 99 found for service "kubernetes"',
    ]);
    assert.equal((await ask(`${services}/https:kubernetes:443/proxy/`))[0], 503);
    assert.deepEqual(await ask(`${services}/kubernetes:dns/proxy/`), [
      503,
      'no endpoints available for service "kubernetes:dns"',
    ]);
  });
});
