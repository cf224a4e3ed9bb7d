import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

/** Sizes from which threads do the work, seen in the counts of what they did. */
describe('Options of threads', () => {
  let server: TestServer;
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  const maps = '/api/v1/namespaces/default/configmaps';
  const counts = () => ({ ...server.running.server.pools.counts });

  async function start(...args: string[]): Promise<void> {
    server = await startTestServer({ args });
    assert.equal((await server.client.post(maps, { metadata: { name: 'm' } })).status, 201);
  }

  it('--patch-thread-bytes: a JSON patch as long as that is applied on a thread', async () => {
    const patch = [{ op: 'add', path: '/data', value: { text: 'x'.repeat(100) } }];
    for (const [size, place] of [
      ['50', 'patchPool'],
      ['5000', 'patchInline'],
    ] as const) {
      await start(`--patch-thread-bytes=${size}`);
      const before = counts()[place];
      assert.equal((await server.client.patch(`${maps}/m`, 'json', patch)).status, 200);
      assert.equal(counts()[place], before + 1);
      if (place === 'patchPool') await server.stop();
    }
  });

  it('--yaml-thread-bytes: a list as long as that is written as YAML on a thread', async () => {
    for (const [size, onThread] of [
      ['10', 1],
      ['100000', 0],
    ] as const) {
      await start(`--yaml-thread-bytes=${size}`);
      const before = counts().codecPool;
      assert.match(
        (await server.client.get(maps, { accept: 'application/yaml' })).body.toString(),
        /^apiVersion: v1\n/,
      );
      assert.equal(counts().codecPool, before + onThread);
      if (onThread === 1) await server.stop();
    }
  });

  it('--encode-thread-bytes: the objects of a list as large as that are decoded and encoded on threads', async () => {
    const ranges = '/api/v1/namespaces/default/limitranges';
    const spec = { limits: [{ type: 'Pod', max: { cpu: '64' } }] };
    for (const [size, onThread] of [
      ['1000', true],
      ['10000000', false],
    ] as const) {
      await start(`--encode-thread-bytes=${size}`);
      for (let i = 0; i < 50; i++)
        await server.client.post(ranges, { metadata: { name: `r${i}`, annotations: { text: 'x'.repeat(200) } }, spec });
      const before = counts().codecPool;
      // A version and form that no write has made.
      const list = await server.client.get(ranges, { accept: 'application/vnd.kubernetes.protobuf' });
      assert.equal(list.status, 200);
      assert.equal(counts().codecPool > before, onThread);
      if (onThread) await server.stop();
    }
  });
});
