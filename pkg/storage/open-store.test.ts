import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from './open-store.ts';

describe('open store', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'binnacle-open-'))));
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('reports what is missing or wrong', async () => {
    await assert.rejects(openStore({ backend: 'embedded' }), /needs a data directory/);
    await assert.rejects(openStore({ backend: 'etcd3' }), /no store servers/);
    for (const servers of [['ftp://a:1'], ['http://'], ['http://a:1', 'https://b:1']]) {
      await assert.rejects(openStore({ backend: 'etcd3', servers }), { name: 'StoreUnavailableError' });
    }
    const certFiles = { caFile: join(dataDir, 'absent.pem') };
    await assert.rejects(openStore({ backend: 'etcd3', servers: ['https://127.0.0.1:1'], certFiles }), /absent\.pem/);
  });

  it('observes operations, failed ones too', async () => {
    const seen: string[] = [];
    const store = await openStore({
      backend: 'embedded',
      dataDir,
      observer: {
        observe: (operation, type, seconds) => {
          assert.ok(seconds >= 0);
          seen.push(`${operation} ${type}`);
        },
      },
    });
    const created = await store.commit('pods/a/x', { expectRevision: 0, value: Buffer.from('v') });
    assert.ok(created.ok);
    await store.get('pods/a/x');
    await store.range('services/specs/');
    await store.commit('pods/a/x', { expectRevision: created.revision, value: Buffer.from('w') });
    await store.commit('pods/a/x', { expectRevision: created.revision + 1 });
    await assert.rejects(store.get('pods/a/x', { revision: 1e9 }));
    await store.count('pods/');
    await store.currentRevision();
    await store.close();
    assert.deepEqual(seen, [
      'create pods',
      'get pods',
      'list services',
      'update pods',
      'delete pods',
      'get pods',
      'count pods',
      'currentRevision ',
    ]);
  });

  it('warns of upkeep that fails, once for many times', async () => {
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    // No server listens there.
    const store = await openStore({
      backend: 'etcd3',
      servers: ['http://127.0.0.1:1'],
      compactionIntervalMs: 10,
      warn,
    });
    while (warnings.length === 0) await sleep(10);
    await sleep(100);
    await store.close();
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /^store upkeep: history compaction failed and is tried again: /);
  });

  it('compacts by the interval it was given', async () => {
    const store = await openStore({ backend: 'embedded', dataDir, compactionIntervalMs: 20 });
    const first = await store.commit('a', { expectRevision: 0, value: Buffer.from('1') });
    assert.ok(first.ok);
    await store.commit('a', { expectRevision: first.revision, value: Buffer.from('2') });
    await assert.rejects(
      async () => {
        for (;;) {
          await store.get('a', { revision: first.revision });
          await sleep(5);
        }
      },
      { name: 'CompactedError' },
    );
    await store.close();
  });

  it('loads only what is used', () => {
    const loaded = (options: string) => {
      const script = `
        import { openStore } from ${JSON.stringify(join(import.meta.dirname, 'open-store.ts'))};
        import { createRequire } from 'node:module';
        const store = await openStore(${options});
        await store.ping(100).catch(() => undefined);
        await store.close();
        const names = Object.keys(createRequire(import.meta.url).cache).join(' ');
        console.log(JSON.stringify({ etcd3: /node_modules.etcd3/.test(names), lmdb: /lmdb/.test(names) || process.report.getReport().sharedObjects.some((file) => /lmdb/.test(file)) }));
      `;
      return JSON.parse(
        execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { encoding: 'utf8' }),
      );
    };
    assert.deepEqual(loaded(JSON.stringify({ backend: 'embedded', dataDir })), { etcd3: false, lmdb: true });
    const etcd = { backend: 'etcd3', servers: ['http://127.0.0.1:1'] };
    assert.deepEqual(loaded(JSON.stringify(etcd)), { etcd3: false, lmdb: false });
    assert.deepEqual(loaded(JSON.stringify({ ...etcd, transport: 'etcd3' })), { etcd3: true, lmdb: false });
  }).timeout(30_000);
});
