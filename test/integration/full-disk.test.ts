/** A server as a separate process whose embedded store is on a small disk that fills up. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { until } from '../fixtures/until.ts';

const maps = '/api/v1/namespaces/default/configmaps';

describe('a server whose disk is full', function () {
  this.timeout(120_000);
  let disk: string;
  let server: BinnacleProcess | undefined;
  let client: ApiClient;
  const env = process.env['TMPDIR'];
  before(function () {
    disk = mkdtempSync(path.join(tmpdir(), 'binnacle-disk-'));
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', disk]).status === 0) return;
    console.log('      skipped: this user cannot mount a small disk');
    this.skip();
  });
  after(async () => {
    client?.close();
    await server?.stop();
    spawnSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true, force: true });
  });

  async function onSmallDisk(): Promise<BinnacleProcess> {
    process.env['TMPDIR'] = disk;
    try {
      return await startBinnacle();
    } finally {
      if (env === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = env;
    }
  }

  const ballast = (): string => path.join(disk, 'ballast');
  function fillUp(): void {
    for (const bytes of [1_048_576, 4096, 1])
      assert.throws(
        () => {
          for (;;) writeFileSync(ballast(), Buffer.alloc(bytes), { flag: 'a' });
        },
        { code: 'ENOSPC' },
      );
  }
  const create = (name: string) => client.post(maps, { metadata: { name }, data: { text: 'x'.repeat(10_000) } });
  const health = async (page: string): Promise<[number, string]> => {
    const { status, body } = await client.get(page);
    return [status, body.toString()];
  };

  async function fillStore(prefix: string): Promise<number> {
    for (let n = 0; n < 3000; n++) {
      const { status, json } = await create(`${prefix}-${n}`);
      if (status === 201) continue;
      assert.deepEqual(
        [status, json.kind, json.reason, json.message],
        [500, 'Status', 'InternalError', 'Internal error occurred: the store has no space left'],
      );
      return n;
    }
    assert.fail('the store never was full');
  }

  async function refusesOnlyWrites(count: number): Promise<void> {
    assert.equal((await client.get(`${maps}/first`)).status, 200);
    assert.equal((await client.get(`${maps}?limit=1`)).json.metadata.remainingItemCount, count - 1);
    assert.equal((await create('refused')).status, 500);
    const [status, text] = await health('/readyz?verbose');
    assert.equal(status, 500);
    assert.match(text, /\[\+\]etcd ok\n\[-\]store-writable failed/);
    assert.deepEqual(await health('/livez'), [200, 'ok']);
  }

  it('answers writes with a Status, continues to read, watch and delete, starts again, and recovers without help', async () => {
    server = await onSmallDisk();
    client = new ApiClient(server.url, server.token);
    assert.equal((await create('first')).status, 201);
    assert.equal((await create('second')).status, 201);
    const before = (await client.get(`${maps}?limit=1`)).json.metadata.remainingItemCount + 1;
    const watch = client.watch(`${maps}?watch=1&resourceVersion=0`);
    fillUp();
    const created = await fillStore('a');
    await refusesOnlyWrites(before + created);
    assert.equal((await client.delete(`${maps}/second`)).status, 200);
    await watch.until((events) =>
      events.some(({ type, object }) => type === 'DELETED' && object.metadata.name === 'second'),
    );

    await server.kill();
    client.close();
    await server.restart();
    client = new ApiClient(server.url, server.token);
    await refusesOnlyWrites(before + created - 1);

    const { pid } = server;
    rmSync(ballast());
    await until(async () => (await health('/readyz'))[0] === 200, 'ready again');
    assert.equal((await create('third')).status, 201);
    assert.equal(server.pid, pid);
  });
});
