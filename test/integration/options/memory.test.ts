import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

/** What the options for memory change, seen from outside and in the metrics. */
describe('Options of the watch cache', () => {
  let server: TestServer;
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  const start = async (...args: string[]): Promise<void> => {
    server = await startTestServer({ args });
  };
  const maps = '/api/v1/namespaces/default/configmaps';
  const put = async (name: string): Promise<string> =>
    (await server.client.post(maps, { metadata: { name } })).json.metadata.resourceVersion as string;

  async function metric(name: string, labels = ''): Promise<number> {
    const text = (await server.client.get('/metrics')).body.toString();
    const line = text.split('\n').find((l) => l.startsWith(`${name}${labels}`));
    assert.ok(line, `no ${name}${labels}`);
    return Number(line.slice(line.lastIndexOf(' ') + 1));
  }
  const capacity = (name: string): Promise<number> => {
    const [resource, group = ''] = name.split('.');
    return metric('watch_cache_capacity', `{group="${group}",resource="${resource}"}`);
  };

  /** Watches from the first of several writes; every change after it must come, whatever memory remembers. */
  async function watchFromThePast(): Promise<string[]> {
    const from = await put('first');
    for (const name of ['a', 'b', 'c']) await put(name);
    const watch = server.client.watch(`${maps}?watch=true&resourceVersion=${from}`);
    const events = await watch.until((seen) => seen.length >= 3);
    watch.close();
    return events.map((e) => e.object.metadata.name as string);
  }

  it('--default-watch-cache-size and --watch-cache-sizes are the least number of changes kept', async () => {
    await start(
      '--default-watch-cache-size=7',
      '--watch-cache-sizes=configmaps#3,deployments.apps#50,daemonsets.extensions#40',
    );
    assert.deepEqual(
      [
        await capacity('secrets'),
        await capacity('configmaps'),
        await capacity('deployments.apps'),
        await capacity('daemonsets.apps'),
      ],
      [7, 3, 50, 40],
    );
    assert.deepEqual(await watchFromThePast(), ['a', 'b', 'c']);
    // Changes came fast: more are kept.
    assert.equal(await capacity('configmaps'), 6);
  });

  it('keeps a hundred by default', async () => {
    await start();
    assert.equal(await capacity('secrets'), 100);
  });

  it('--default-watch-cache-size=0 keeps none but where a size is given', async () => {
    await start('--default-watch-cache-size=0', '--watch-cache-sizes=secrets#5');
    assert.deepEqual([await capacity('configmaps'), await capacity('secrets')], [0, 5]);
    assert.deepEqual(await watchFromThePast(), ['a', 'b', 'c']);
  });

  it('--watch-cache=false keeps none at all', async () => {
    await start('--watch-cache=false', '--watch-cache-sizes=secrets#5');
    assert.deepEqual([await capacity('configmaps'), await capacity('secrets')], [0, 0]);
    assert.deepEqual(await watchFromThePast(), ['a', 'b', 'c']);
  });

  it('--target-ram-mb is the memory for decoded objects and encoded answers', async () => {
    await start('--target-ram-mb=3');
    assert.equal(await metric('binnacle_cacher_budget_limit_bytes'), 3 * 1024 * 1024);
    for (let i = 0; i < 12; i++)
      assert.equal(
        (await server.client.post(maps, { metadata: { name: `large-${i}` }, data: { text: 'x'.repeat(500_000) } }))
          .status,
        201,
      );
    assert.equal((await server.client.get(maps)).json.items.length, 12);
    assert.ok((await metric('binnacle_cacher_budget_used_bytes')) < 6 * 1024 * 1024);
  });

  it('--deserialization-cache-size bounds the number of objects with decoded and encoded forms', async () => {
    await start('--deserialization-cache-size=5');
    for (let i = 0; i < 40; i++) await put(`m${i}`);
    assert.equal((await server.client.get(maps)).json.items.length, 40);
    const some = await metric('binnacle_cacher_budget_used_bytes');
    await server.stop();
    await start();
    for (let i = 0; i < 40; i++) await put(`m${i}`);
    await server.client.get(maps);
    assert.ok(some * 4 < (await metric('binnacle_cacher_budget_used_bytes')), `${some} bytes for five objects`);
  });

  it('--store-count-metric-poll-period=0 leaves counts out of the metrics', async () => {
    await start('--store-count-metric-poll-period=0');
    assert.doesNotMatch((await server.client.get('/metrics')).body.toString(), /apiserver_storage_objects/);
    await server.stop();
    await start('--store-count-metric-poll-period=1s');
    assert.equal(await metric('apiserver_storage_objects', '{resource="namespaces"}'), 4);
  });
});
