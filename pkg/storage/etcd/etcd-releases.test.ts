import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from '../../../test/fixtures/certificates.ts';
import { EtcdGrpcProxy } from '../../../test/fixtures/etcd-grpc-proxy.ts';
import { etcdBinary, EtcdServer } from '../../../test/fixtures/etcd-server.ts';
import { nextChanges } from '../event-collector.ts';
import { describeStoreContract } from '../store-contract.ts';
import type { Store } from '../store.ts';
import { openEtcdStore } from './open-etcd-store.ts';

const releases = [
  ['3.4, as Debian has it', undefined],
  ['3.5', '3.5'],
  ['3.6', '3.6'],
] as const;
let stores = 0;

/** The largest values that etcd accepts, many at once, and their events. */
async function exchangeLargeValues(store: Store): Promise<void> {
  const start = await store.currentRevision();
  const value = Buffer.alloc(1_500_000, 'x');
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, i) => store.commit(`large/${i}`, { expectRevision: 0, value })),
  );
  assert.ok(results.every((result) => result.ok));
  const { items } = await store.range('large/');
  assert.deepEqual([items.length, items.every((item) => value.equals(item.value))], [8, true]);
  assert.equal((await nextChanges(store.watch('large/', start), 8)).length, 8);
}

for (const [name, release] of releases) {
  describe(`etcd ${name}`, function () {
    this.timeout(60_000);
    const warnings: string[] = [];
    let server: EtcdServer;
    let proxy: EtcdGrpcProxy;
    const open = (url: string) =>
      openEtcdStore({
        servers: [url],
        prefix: `/release-${++stores}`,
        timeoutMs: 5000,
        progressIntervalMs: 1000,
        warn: (message) => warnings.push(message),
      });

    before(async function () {
      const binary = etcdBinary(release);
      // Releases beyond Debian's are built where Go is (hack/install-tools.sh).
      if (binary === undefined) this.skip();
      server = await EtcdServer.start({ binary });
      proxy = await EtcdGrpcProxy.start(binary!, server.url);
    });
    after(async () => {
      await proxy?.stop();
      await server?.stop();
      assert.deepEqual(warnings, []);
    });

    if (release !== undefined) describeStoreContract({ name: `etcd ${name}`, open: async () => open(server.url) });
    describeStoreContract({ name: `the gRPC proxy of etcd ${name}`, open: async () => open(proxy.url) });

    for (const way of ['directly', 'through its gRPC proxy']) {
      it(`takes values of 1.5 MB ${way}`, async () => {
        const store = open(way === 'directly' ? server.url : proxy.url);
        await exchangeLargeValues(store);
        await store.close();
      });
    }

    it('works with client certificates', async () => {
      const dir = mkdtempSync(join(tmpdir(), 'binnacle-tls-'));
      const files = await makeCertificates(dir, 'good');
      const secure = await EtcdServer.start({
        binary: etcdBinary(release),
        tls: { cert: files.certFile, key: files.keyFile, clientCa: files.caFile },
      });
      try {
        const store = openEtcdStore({
          servers: [secure.url],
          tlsFiles: files,
          timeoutMs: 5000,
          warn: (message) => warnings.push(message),
        });
        await exchangeLargeValues(store);
        await store.close();
      } finally {
        await secure.stop();
        rmSync(dir, { recursive: true, force: true });
      }
    });
  });
}
