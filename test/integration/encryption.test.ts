/**
 * Encryption at rest, as an operator sets it up and changes it: what is in the store, and what clients are answered.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startKmsPlugin, type KmsPlugin } from '../../pkg/storage/encryption/kms/kms-plugin-testing.ts';
import { openStore } from '../../pkg/storage/open-store.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

const secretOf = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData: { password: 'correct horse' },
});
const path_ = '/api/v1/namespaces/default/secrets';
const key = (letter: string): object => ({ name: letter, secret: Buffer.alloc(32, letter).toString('base64') });

for (const backend of ['embedded', 'etcd'] as const) {
  describe(`encryption at rest (${backend})`, () => {
    let dir: string;
    let etcd: EtcdServer | undefined;
    let server: TestServer | undefined;
    before(async () => {
      dir = mkdtempSync(path.join(tmpdir(), 'binnacle-at-rest-'));
      etcd = backend === 'etcd' ? await EtcdServer.start() : undefined;
    });
    after(async () => {
      await server?.stop();
      await etcd?.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    /** Starts again on the same data with these providers; none: without a configuration. */
    async function restart(...providers: object[]): Promise<TestServer> {
      await server?.stop();
      const file = path.join(dir, 'encryption.yaml');
      writeFileSync(
        file,
        JSON.stringify({
          apiVersion: 'apiserver.config.k8s.io/v1',
          kind: 'EncryptionConfiguration',
          resources: [{ resources: ['secrets'], providers }],
        }),
      );
      const args = providers.length === 0 ? [] : [`--experimental-encryption-provider-config=${file}`];
      server = await startTestServer({ dir, args, ...(etcd === undefined ? {} : { etcd: etcd.url }) });
      return server;
    }

    /** Bytes of a secret as they are stored; the server must be stopped for the embedded store. */
    async function stored(name: string): Promise<string> {
      await server?.stop();
      server = undefined;
      const store = await openStore(
        etcd === undefined
          ? { backend: 'embedded', dataDir: path.join(dir, 'store') }
          : { backend: 'etcd3', servers: [etcd.url], prefix: '/registry' },
      );
      try {
        return Buffer.from((await store.get(`secrets/default/${name}`))!.value).toString('latin1');
      } finally {
        await store.close();
      }
    }

    it('hides secrets, and lets the key be changed without losing one', async () => {
      const { client } = await restart({ aescbc: { keys: [key('a')] } }, { identity: {} });
      assert.equal((await client.post(path_, secretOf('one'))).status, 201);
      assert.match(await stored('one'), /^k8s:enc:aescbc:v1:a:/);
      assert.equal((await stored('one')).includes('correct horse'), false);

      const second = (await restart({ aesgcm: { keys: [key('b')] } }, { aescbc: { keys: [key('a')] } })).client;
      const read = await second.get(`${path_}/one`);
      assert.equal(Buffer.from(read.json.data.password, 'base64').toString(), 'correct horse');
      // A replace that changes nothing is what people do to have everything written again.
      assert.equal((await second.put(`${path_}/one`, read.json)).status, 200);
      assert.match(await stored('one'), /^k8s:enc:aesgcm:v1:b:/);

      const third = (await restart({ identity: {} }, { aesgcm: { keys: [key('b')] } })).client;
      const again = await third.get(`${path_}/one`);
      assert.equal((await third.put(`${path_}/one`, again.json)).status, 200);
      assert.match(await stored('one'), /^k8s\0/);
    });

    it('answers for what it cannot open with an error, loses nothing and goes on serving the rest', async () => {
      const { client } = await restart({ secretbox: { keys: [key('c')] } });
      assert.equal((await client.post(path_, secretOf('locked'))).status, 201);
      const before = await stored('locked');
      const blind = await restart();
      for (const url of [
        `${path_}/locked`,
        path_,
        '/api/v1/secrets',
        '/api/v1/secrets?resourceVersion=0',
        `${path_}?labelSelector=a%3Db`,
      ]) {
        const answer = await blind.client.get(url);
        assert.equal(answer.status, 500, url);
        assert.equal(
          answer.json.message,
          'Internal error occurred: unable to transform key "secrets/default/locked": identity transformer tried to read encrypted data',
        );
      }
      assert.equal((await blind.client.put(`${path_}/locked`, secretOf('locked'))).status, 500);
      assert.equal((await blind.client.delete(`${path_}/locked`)).status, 500);
      assert.equal((await blind.client.get('/api/v1/namespaces/default')).status, 200);
      assert.equal(
        (await blind.client.post('/api/v1/namespaces/default/configmaps', { metadata: { generateName: 'c-' } })).status,
        201,
      );
      assert.equal(await stored('locked'), before);
      const opened = await (await restart({ secretbox: { keys: [key('c')] } })).client.get(`${path_}/locked`);
      assert.equal(opened.status, 200);
    });

    it('ends watches that would show what it cannot open, and no others', async () => {
      const blind = await restart({ identity: {} });
      const [secrets, labelled, configMaps] = [
        path_,
        `${path_}?labelSelector=a`,
        '/api/v1/namespaces/default/configmaps',
      ].map((url) => blind.client.watch(`${url}${url.includes('?') ? '&' : '?'}watch=true`));
      await blind.client.post('/api/v1/namespaces/default/configmaps', {
        metadata: { name: `seen-before-${backend}` },
      });
      await configMaps!.until((events) => events.some((e) => e.object.metadata?.name === `seen-before-${backend}`));
      const store = blind.running.server.storeOf('secrets').backend;
      assert.equal(
        (
          await store.commit('secrets/default/foreign', {
            expectRevision: 0,
            value: Buffer.from('k8s:enc:aesgcm:v1:other:xxxx'),
          })
        ).ok,
        true,
      );
      await Promise.all([secrets!.untilEnd(), labelled!.untilEnd()]);
      await blind.client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: `seen-after-${backend}` } });
      await configMaps!.until((events) => events.some((e) => e.object.metadata?.name === `seen-after-${backend}`));
      configMaps!.close();
      const foreign = await store.get('secrets/default/foreign');
      await store.commit('secrets/default/foreign', { expectRevision: foreign!.modRevision });
    });

    for (const version of [1, 2] as const) {
      it(`has keys kept by a key service of version ${version}, and says so when that is away`, async () => {
        const plugin: KmsPlugin = await startKmsPlugin([version === 1 ? 'v1beta1' : 'v2alpha1']);
        try {
          const kms = {
            kms: { apiVersion: `v${version}`, name: 'vault', endpoint: plugin.endpoint, timeout: '500ms' },
          };
          const first = await restart(kms);
          const name = `kms-${version}`;
          assert.equal((await first.client.post(path_, secretOf(name))).status, 201);
          assert.equal((await first.client.get('/healthz/kms-provider-0')).status, 200);
          plugin.mood = 'failing';
          const refused = await first.client.post(path_, secretOf(`${name}-new`));
          assert.equal(refused.status, 500);
          assert.match(
            refused.json.message,
            /^Internal error occurred: the key service "vault" failed to encrypt: the vault is sealed/,
          );
          assert.match(await stored(name), new RegExp(`^k8s:enc:kms:v${version}:vault:`));
          const without = await restart(kms);
          assert.equal((await without.client.get('/healthz/kms-provider-0')).status, 500);
          const unread = await without.client.get(`${path_}/${name}`);
          assert.match(
            unread.json.message,
            new RegExp(
              `^Internal error occurred: unable to transform key "/registry/secrets/default/${name}": the key service "vault" failed to decrypt`,
            ),
          );
          plugin.mood = 'well';
          for (let left = 200; left > 0 && (await without.client.get(`${path_}/${name}`)).status !== 200; left--)
            await new Promise((resolve) => setTimeout(resolve, 50));
          assert.equal((await without.client.get(`${path_}/${name}`)).status, 200);
          const second = await restart(kms, { secretbox: { keys: [key('c')] } });
          assert.equal((await second.client.get(`${path_}/${name}`)).status, 200);
          assert.equal((await second.client.delete(`${path_}/${name}`)).status, 200);
        } finally {
          await plugin.stop();
        }
      });
    }
  });
}
