/** kill -9 in the middle of concurrent writes, ROUNDS times (default 5; `make chaos` runs 50). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedStore } from '../../pkg/storage/embedded/embedded-store.ts';
import { verifyStore as verifyFile } from '../../pkg/storage/embedded/file/store-upkeep.ts';
import { openEtcdStore } from '../../pkg/storage/etcd/open-etcd-store.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { verifyStore } from './verify-store.ts';
import { runWriteLoad } from './write-load.ts';
import type { Acknowledgement } from './write-load.ts';

const rounds = Number(process.env['ROUNDS'] ?? 5);
const writer = join(import.meta.dirname, 'embedded-writer.ts');

/** Runs the writer on the directory and kills it after a while; resolves with what it had acknowledged. */
async function writeUntilKilled(dataDir: string, round: number, lifetimeMs: number): Promise<Acknowledgement[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', writer, dataDir, `${round}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const exited = new Promise<NodeJS.Signals | null>((done) => child.once('close', (_code, signal) => done(signal)));
  let isReady: () => void;
  const ready = new Promise<void>((done) => (isReady = done));
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    isReady();
  });
  await Promise.race([ready, exited]);
  await sleep(lifetimeMs);
  child.kill('SIGKILL');
  assert.equal(await exited, 'SIGKILL', 'the writer ended by itself');
  const [first, ...lines] = output.split('\n').slice(0, -1);
  assert.equal(first, 'ready');
  return lines.map((line) => JSON.parse(line) as Acknowledgement);
}

describe('crashes', function () {
  this.timeout(rounds * 10_000 + 60_000);

  it(`of the embedded store lose no acknowledged write, in ${rounds} rounds`, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'binnacle-crash-'));
    const acknowledged: Acknowledgement[] = [];
    try {
      for (let round = 0; round < rounds; round++) {
        const lifetimeMs = 20 + Math.random() * 400;
        const fresh = await writeUntilKilled(dataDir, round, lifetimeMs);
        for (const write of fresh) acknowledged.push(write);
        const { damage, damagedKeys } = await verifyFile(dataDir);
        assert.deepEqual([damage, damagedKeys], [[], []], 'the file of a killed store is whole');
        const store = new EmbeddedStore({ dataDir });
        try {
          await verifyStore(store, acknowledged);
        } catch (error) {
          throw new Error(`round ${round}, killed after ${lifetimeMs.toFixed(1)} ms, ${fresh.length} writes`, {
            cause: error,
          });
        } finally {
          await store.close();
        }
      }
      assert.ok(acknowledged.length > rounds * 100, `only ${acknowledged.length} writes were acknowledged`);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  const etcdRounds = Math.max(2, Math.ceil(rounds / 5));
  it(`of etcd lose no acknowledged write and no event, in ${etcdRounds} rounds`, async () => {
    const server = await EtcdServer.start();
    const store = openEtcdStore({ servers: [server.url], prefix: '/crash', timeoutMs: 5000, progressIntervalMs: 500 });
    const acknowledged: Acknowledgement[] = [];
    const seen = new Map<number, string>();
    const stream = store.watch('', await store.currentRevision());
    const watching = (async () => {
      let last = 0;
      for await (const batch of stream) {
        for (const event of batch.events) {
          assert.ok(event.revision > last, 'an event came twice or out of order');
          last = event.revision;
          seen.set(event.revision, `${event.type} ${event.key}`);
        }
      }
    })();
    try {
      for (let round = 0; round < etcdRounds; round++) {
        let stopped = false;
        const load = runWriteLoad({
          store,
          name: `round-${round}`,
          writers: 20,
          stopped: () => stopped,
          onAcknowledged: (write) => acknowledged.push(write),
        });
        await sleep(100 + Math.random() * 400);
        await server.kill();
        await sleep(100);
        await server.restart();
        await sleep(500);
        stopped = true;
        await load;
        await verifyStore(store, acknowledged);
      }
      const target = await store.currentRevision();
      stream.requestProgress?.();
      for (
        let waitedMs = 0;
        Math.max(...seen.keys()) < acknowledged.at(-1)!.revision && waitedMs < 10_000;
        waitedMs += 50
      )
        await sleep(50);
      assert.ok(target >= acknowledged.at(-1)!.revision);
      for (const write of acknowledged) {
        assert.equal(
          seen.get(write.revision),
          `${write.deleted ? 'delete' : 'put'} ${write.key}`,
          `event of revision ${write.revision}`,
        );
      }
      assert.ok(acknowledged.length > etcdRounds * 100, `only ${acknowledged.length} writes were acknowledged`);
    } finally {
      stream.close();
      await watching;
      await store.close();
      await server.stop();
    }
  });
});
