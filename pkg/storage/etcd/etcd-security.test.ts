import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from '../../../test/fixtures/certificates.ts';
import type { CertificateFiles } from '../../../test/fixtures/certificates.ts';
import { EtcdServer } from '../../../test/fixtures/etcd-server.ts';
import { nextChanges } from '../event-collector.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import type { Store } from '../store.ts';
import { createEtcd3Client } from './etcd3-client.ts';
import { openEtcdStore } from './open-etcd-store.ts';

/** Everything that uses a separate connection: a call, a watch, a lease. */
async function use(store: Store): Promise<void> {
  const start = await store.currentRevision();
  const result = await store.commit('a/x', { expectRevision: 0, value: Buffer.from('v'), ttlSeconds: 60 });
  assert.ok(result.ok);
  assert.equal((await nextChanges(store.watch('a/', start), 1)).length, 1);
  assert.equal((await store.range('a/')).items.length, 1);
  await store.commit('a/x', { expectRevision: result.revision });
}

describe('etcd store with TLS', function () {
  this.timeout(60_000);
  let dir: string;
  let good: CertificateFiles;
  let foreign: CertificateFiles;
  let server: EtcdServer;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'binnacle-tls-'));
    [good, foreign] = [await makeCertificates(dir, 'good'), await makeCertificates(dir, 'foreign')];
    server = await EtcdServer.start({ tls: { cert: good.certFile, key: good.keyFile, clientCa: good.caFile } });
  });
  after(async () => {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  for (const transport of ['http2', 'etcd3'] as const) {
    it(`works with a client certificate over ${transport}`, async () => {
      const store = openEtcdStore({ servers: [server.url], prefix: '/tls', transport, tlsFiles: good });
      await use(store);
      await store.close();
    });

    it(`rejects either side without the right authority over ${transport}`, async () => {
      for (const tlsFiles of [
        {},
        { caFile: good.caFile },
        { ...good, caFile: foreign.caFile },
        { ...foreign, caFile: good.caFile },
      ]) {
        const store = openEtcdStore({ servers: [server.url], prefix: '/tls', transport, tlsFiles, timeoutMs: 500 });
        await assert.rejects(store.ping(500), StoreUnavailableError);
        await store.close();
      }
    });
  }

  it('requires certificate and key together', () => {
    assert.throws(() => openEtcdStore({ servers: [server.url], tlsFiles: { certFile: good.certFile } }), /key/);
  });
});

describe('etcd store with a user', function () {
  this.timeout(60_000);
  const root = { username: 'root', password: 'of all evil' };
  let server: EtcdServer;
  before(async () => {
    server = await EtcdServer.start();
    const admin = createEtcd3Client({ servers: [server.url], tls: {}, timeoutMs: 5000 });
    await admin.user('root').create(root.password);
    await admin.role('root').create();
    await admin.user('root').addRole('root');
    await admin.auth.authEnable();
    admin.close();
  });
  after(() => server.stop());

  it('logs in', async () => {
    const store = openEtcdStore({ servers: [server.url], prefix: '/auth', auth: root });
    await use(store);
    await store.close();
  });

  it('reports a wrong password and a missing one', async () => {
    for (const auth of [{ ...root, password: 'wrong' }, undefined]) {
      const store = openEtcdStore({ servers: [server.url], prefix: '/auth', auth, timeoutMs: 500 });
      await assert.rejects(store.get('a'), StoreUnavailableError);
      await assert.rejects(store.commit('a', { expectRevision: 0, value: Buffer.from('v') }), StoreUnavailableError);
      await store.close();
    }
  });
});
