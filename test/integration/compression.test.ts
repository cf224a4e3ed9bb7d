import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/** Large answers are compressed where the feature gate and the client allow it. */
describe('Response compression', () => {
  let server: TestServer;
  afterEach(() => server.stop());

  const path = '/api/v1/namespaces/default/configmaps';
  const gzip = { 'accept-encoding': 'gzip' };

  async function startWithLargeList(args: readonly string[]): Promise<void> {
    server = await startTestServer({ args });
    for (let i = 0; i < 20; i++) {
      const created = await server.client.post(path, {
        metadata: { name: `large-${i}` },
        data: { text: 'some text that repeats. '.repeat(500) },
      });
      assert.equal(created.status, 201);
    }
  }

  it('compresses a large list with the gate on', async () => {
    await startWithLargeList(['--feature-gates=APIResponseCompression=true']);
    const plain = await server.client.get(path);
    assert.equal(plain.headers['content-encoding'], undefined);
    const packed = await server.client.get(path, gzip);
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.ok(packed.body.length < plain.body.length / 10);
    assert.deepEqual(JSON.parse(gunzipSync(packed.body).toString()), plain.json);
    const small = await server.client.get(`${path}/large-1`, gzip);
    assert.equal(small.headers['content-encoding'], undefined);
    assert.deepEqual(server.errors, []);
  });

  it('compresses nothing by default', async () => {
    await startWithLargeList([]);
    assert.equal((await server.client.get(path, gzip)).headers['content-encoding'], undefined);
  });
});
