/** A server whose disk has changed one stored value. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { overwrite } from '../../pkg/storage/embedded/file/damage-testing.ts';
import { repairStore } from '../../pkg/storage/embedded/file/store-upkeep.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const secrets = '/api/v1/namespaces/default/secrets';

describe('a server with a damaged value', function () {
  this.timeout(60_000);
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-damaged-value-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('names the key, serves everything else, and has no such object after a repair', async () => {
    const store = path.join(dir, 'store');
    let server = await startTestServer({ dir });
    for (const name of ['whole', 'hurt'])
      assert.equal(
        (await server.client.post(maps, { metadata: { name }, data: { text: `the text of ${name}` } })).status,
        201,
      );
    await server.client.post(secrets, { metadata: { name: 'other' } });
    await server.stop();
    const bytes = readFileSync(path.join(store, 'data.mdb'));
    // Pages that were copied since have it too.
    for (let at = bytes.indexOf('the text of hurt'); at >= 0; at = bytes.indexOf('the text of hurt', at + 1))
      overwrite(store, at, Buffer.from('another text'));

    server = await startTestServer({ dir });
    try {
      assert.equal((await server.client.get('/readyz')).status, 200);
      assert.deepEqual((await server.client.get(`${maps}/whole`)).json.data, { text: 'the text of whole' });
      const replaced = await server.client.send('PUT', `${maps}/hurt`, { body: { metadata: { name: 'hurt' } } });
      for (const answer of [
        await server.client.get(`${maps}/hurt`),
        await server.client.get(maps),
        replaced,
        await server.client.delete(`${maps}/hurt`),
      ]) {
        assert.deepEqual([answer.status, answer.json.reason], [500, 'InternalError']);
        assert.match(
          answer.json.message,
          /the stored value of "configmaps\/default\/hurt" is damaged: its checksum does not match/,
        );
      }
      assert.ok((await server.client.get(secrets)).json.items.length >= 1);
      assert.equal((await server.client.post(maps, { metadata: { name: 'new' } })).status, 201);
    } finally {
      await server.stop();
    }
    assert.deepEqual(
      (await repairStore(store)).damagedKeys.map(({ key }) => key),
      ['configmaps/default/hurt'],
    );

    server = await startTestServer({ dir });
    try {
      assert.equal((await server.client.get(`${maps}/hurt`)).status, 404);
      const names = (await server.client.get(maps)).json.items.map(
        (item: { metadata: { name: string } }) => item.metadata.name,
      );
      for (const name of ['whole', 'new']) assert.ok(names.includes(name), names.join());
      assert.equal((await server.client.post(maps, { metadata: { name: 'hurt' } })).status, 201);
    } finally {
      await server.stop();
    }
  });
});
