import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StoreFullError } from '../store-errors.ts';
import { claimOf, DiskReserve } from './disk-reserve.ts';
import { EmbeddedStore } from './embedded-store.ts';

describe('disk reserve', () => {
  let dir: string;
  let dataFile: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'binnacle-reserve-'));
    dataFile = join(dir, 'data.mdb');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('keeps the file longer than what is in use and promised', () => {
    writeFileSync(dataFile, Buffer.alloc(10_000, 1));
    const reserve = new DiskReserve({ dataFile, usedBytes: () => 10_000 });
    reserve.promise(claimOf(4_096_000), 'growth');
    const { size, blocks } = statSync(dataFile);
    assert.ok(size >= 10_000 + 1000 * 4096 + 1024 * 1024, `${size}`);
    assert.ok(blocks * 512 >= size, 'the room has blocks on the disk');
    reserve.settle([claimOf(4_096_000)]);
    reserve.promise(claimOf(4_096_000), 'growth');
    assert.equal(statSync(dataFile).size, size, 'room that was given back is taken again');
    reserve.close();
  });

  it('fills the holes of an older file without changing its content', () => {
    const file = openSync(dataFile, 'w+');
    ftruncateSync(file, 1_000_000);
    closeSync(file);
    assert.ok(statSync(dataFile).blocks * 512 < 1_000_000);
    const reserve = new DiskReserve({ dataFile, usedBytes: () => 1_000_000 });
    reserve.promise(claimOf(0), 'removal');
    reserve.close();
    const { size, blocks } = statSync(dataFile);
    assert.ok(blocks * 512 >= size);
  });
});

/**
 * Commits as standard input says, a line each: `fill`, `put KEY`, `remove KEY`, `writable`; answers each with a line.
 */
const writer = (dir: string): string => `
  import { createInterface } from 'node:readline';
  const { EmbeddedStore } = await import(${JSON.stringify(join(import.meta.dirname, 'embedded-store.ts'))});
  const dataDir = ${JSON.stringify(dir)};
  process.on('unhandledRejection', (error) => { console.log('UNHANDLED', error); process.exit(3); });
  const outcome = (promise) => promise.then(() => 'ok', (error) => error.name);
  const open = () => new EmbeddedStore({ dataDir, sweepIntervalMs: 3_600_000 });
  let store;
  try { store = open(); } catch (error) { console.log('refused ' + error.name + ': ' + error.message); process.exit(2); }
  const put = (key, bytes) => store.get(key).then((found) => store.commit(key, { expectRevision: found?.modRevision ?? 0, value: Buffer.alloc(bytes, 1) })).then((result) => result.revision);
  let n = 0;
  const commands = {
    fill: async () => { for (;;) { const all = await Promise.all(Array.from({ length: 20 }, () => outcome(put('fill/' + n++, 3000)))); const failed = all.find((one) => one !== 'ok'); if (failed !== undefined) break; } for (;;) { const one = await outcome(put('fill/' + n++, 3000)); if (one !== 'ok') return one; } },
    put: (key) => outcome(put(key, 3000)),
    remove: (key) => outcome(store.get(key).then((found) => store.commit(key, { expectRevision: found.modRevision }))),
    compact: () => outcome(store.currentRevision().then((revision) => store.compact(revision))),
    writable: () => outcome(store.assertWritable()),
    read: async () => { const page = await store.range(''); return page.items.every((item) => item.value.length === 3000) ? 'ok' : 'wrong'; },
    watch: async () => { const revision = await store.currentRevision(); const stream = store.watch('', revision - 1); const next = await stream[Symbol.asyncIterator]().next(); stream.close(); return next.value.events.length === 1 ? 'ok' : 'wrong'; },
    restart: async () => { await store.close(); store = open(); return 'ok'; },
  };
  console.log('open');
  for await (const line of createInterface(process.stdin)) { const [name, arg] = line.split(' '); console.log(await commands[name](arg)); }
`;

class Writer {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(dir: string, before: readonly string[] = []) {
    const [command, ...args] = [
      ...before,
      process.execPath,
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      writer(dir),
    ];
    this.child = spawn(command!, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#lines = createInterface(this.child.stdout!)[Symbol.asyncIterator]();
  }

  async line(): Promise<string | undefined> {
    return (await this.#lines.next()).value as string | undefined;
  }

  async ask(command: string): Promise<string | undefined> {
    this.child.stdin!.write(`${command}\n`);
    return this.line();
  }

  async end(): Promise<number | null> {
    const closed = once(this.child, 'close');
    this.child.stdin!.end();
    return ((await closed) as [number | null])[0];
  }
}

describe('an embedded store without room', () => {
  let dir: string;
  const started: Writer[] = [];
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'binnacle-full-'));
  });
  afterEach(() => {
    for (const one of started.splice(0)) one.child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });
  const start = async (store: string, before: readonly string[] = []): Promise<Writer> => {
    const one = new Writer(store, before);
    started.push(one);
    assert.equal(await one.line(), 'open');
    return one;
  };

  /** The expectations for a full disk, until `makeRoom`. */
  async function staysUseful(one: Writer, makeRoom: () => void): Promise<void> {
    assert.equal(await one.ask('put kept'), 'ok');
    assert.equal(await one.ask('put last'), 'ok');
    for (let round = 0; round < 3; round++) {
      assert.equal(await one.ask('fill'), 'StoreFullError');
      assert.equal(await one.ask('writable'), 'StoreFullError');
      assert.equal(await one.ask('read'), 'ok');
      assert.equal(await one.ask('watch'), 'ok');
      assert.equal(await one.ask('restart'), 'ok');
    }
    assert.equal(await one.ask('put new'), 'StoreFullError');
    assert.equal(await one.ask('remove kept'), 'ok', 'there is a way out');
    assert.equal(await one.ask('compact'), 'ok');
    makeRoom();
    assert.equal(await one.ask('writable'), 'ok');
    assert.equal(await one.ask('put new'), 'ok');
    assert.equal(await one.ask('read'), 'ok');
    assert.equal(await one.end(), 0);
  }

  it('refuses writes at a limit of file sizes, reads on, and recovers when it is lifted', async function () {
    this.timeout(120_000);
    if (spawnSync('prlimit', ['--version']).status !== 0) {
      console.log('      skipped: there is no prlimit');
      this.skip();
    }
    const one = await start(join(dir, 'store'), ['prlimit', `--fsize=${8 * 1024 * 1024}:unlimited`]);
    await staysUseful(one, () =>
      assert.equal(spawnSync('prlimit', [`--pid=${one.child.pid}`, '--fsize=unlimited']).status, 0),
    );
  });

  it('refuses writes on a full disk, opens on it, reads on, and recovers when there is room', async function () {
    this.timeout(120_000);
    const disk = join(dir, 'disk');
    mkdirSync(disk);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk]).status !== 0) {
      console.log('      skipped: this user cannot mount a small disk');
      this.skip();
    }
    try {
      const ballast = join(disk, 'ballast');
      writeFileSync(ballast, Buffer.alloc(4 * 1024 * 1024));
      await staysUseful(await start(join(disk, 'store')), () => rmSync(ballast));
      // A new store on a full disk reports why it cannot be created.
      writeFileSync(ballast, '');
      assert.throws(
        () => {
          for (;;) writeFileSync(ballast, Buffer.alloc(65536), { flag: 'a' });
        },
        { code: 'ENOSPC' },
      );
      assert.throws(
        () => new EmbeddedStore({ dataDir: join(disk, 'other') }),
        (error) => error instanceof StoreFullError && /no space left on the disk for .*other/.test(error.message),
      );
    } finally {
      for (const one of started.splice(0)) one.child.kill('SIGKILL');
      spawnSync('umount', ['--lazy', disk]);
    }
  });
});
