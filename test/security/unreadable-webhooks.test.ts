/** A webhook configuration that is corrupt in the store does not open the door that it kept shut. */
import assert from 'node:assert/strict';
import { openEtcdStore } from '../../pkg/storage/etcd/open-etcd-store.ts';
import type { EtcdStore } from '../../pkg/storage/etcd/etcd-store.ts';
import type { Answer } from '../fixtures/api-client.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { until } from '../fixtures/until.ts';

describe('an unreadable webhook configuration', () => {
  let etcd: EtcdServer;
  let store: EtcdStore;
  let server: TestServer;
  const maps = '/api/v1/namespaces/default/configmaps';
  const create = (name: string): Promise<Answer> => server.client.post(maps, { metadata: { name } });

  before(async () => {
    etcd = await EtcdServer.start();
    store = openEtcdStore({ servers: [etcd.url] });
  });
  beforeEach(async () => {
    server = await startTestServer({ etcd: etcd.url });
  });
  afterEach(() => server.stop());
  after(async () => {
    await store.close();
    await etcd.stop();
  });

  for (const kind of ['mutating', 'validating']) {
    const key = `${kind}webhookconfigurations/broken`;
    const refused = {
      status: 500,
      message: 'Internal error occurred: the webhook configuration "broken" cannot be read',
    };
    const outcome = async (answer: Promise<Answer>): Promise<object> => {
      const { status, json } = await answer;
      return { status, message: json.message };
    };

    it(`of type ${kind} refuses writes, also after a restart, until it is gone`, async () => {
      assert.equal((await create(`${kind}-before`)).status, 201);
      await store.commit(key, { expectRevision: 0, value: Buffer.from('{"kind":"?"') });
      await until(async () => (await create(`${kind}-during`)).status === 500, 'a refusal');
      assert.deepEqual(await outcome(create(`${kind}-refused`)), refused);
      assert.equal((await server.client.get(`${maps}/${kind}-before`)).status, 200);
      await server.stop();
      server = await startTestServer({ etcd: etcd.url });
      assert.deepEqual(await outcome(server.client.delete(`${maps}/${kind}-before`)), refused);
      const broken = await store.get(key);
      await store.commit(key, { expectRevision: broken!.modRevision });
      await until(async () => (await create(`${kind}-after`)).status === 201, 'a write');
    });
  }
});
