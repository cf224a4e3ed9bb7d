import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StoreUnavailableError } from '../store-errors.ts';
import { checkDataFile } from './data-file.ts';
import { EmbeddedStore } from './embedded-store.ts';

describe('checkDataFile', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-data-file-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('allows nothing, an empty file and a database', async () => {
    checkDataFile(dir);
    writeFileSync(path.join(dir, 'data.mdb'), '');
    checkDataFile(dir);
    await new EmbeddedStore({ dataDir: dir }).close();
    checkDataFile(dir);
  });

  for (const [what, bytes] of [
    ['zeros', Buffer.alloc(8192)],
    ['text', Buffer.from('no database\n'.repeat(1000))],
    ['a few bytes', Buffer.from('x')],
  ] as const) {
    it(`refuses ${what}, before the library would end the process`, () => {
      writeFileSync(path.join(dir, 'data.mdb'), bytes);
      assert.throws(
        () => new EmbeddedStore({ dataDir: dir }),
        (error) =>
          error instanceof StoreUnavailableError &&
          error.message ===
            `${dir}/data.mdb is damaged, or no database of this program: there is no database in it; \`binnacle store repair\` saves what is readable`,
      );
    });
  }

  // Each of these ended the process by SIGSEGV, SIGBUS or SIGFPE.
  for (const [what, at, bytes] of [
    ['page size', 0x30, '0c14ed51'],
    ['flags of free pages', 0x34, '75be'],
    ['root page', 0x58 + 48, 'ff00ff'],
    ['last page', 4096 + 0x90 + 2, 'fa043226627e9b'],
    ['newest transaction', 0x98, 'ffff'],
    ['page header', 0x12, '0900'],
  ] as const) {
    it(`refuses a damaged ${what}`, async () => {
      await new EmbeddedStore({ dataDir: dir }).close();
      const file = openSync(path.join(dir, 'data.mdb'), 'r+');
      writeSync(file, Buffer.from(bytes, 'hex'), 0, bytes.length / 2, at);
      closeSync(file);
      assert.throws(() => checkDataFile(dir), StoreUnavailableError);
    });
  }

  it('refuses a file that is cut', async () => {
    const store = new EmbeddedStore({ dataDir: dir });
    for (let n = 0; n < 50; n++) await store.commit(`a/${n}`, { expectRevision: 0, value: Buffer.alloc(5000, n) });
    await store.close();
    truncateSync(path.join(dir, 'data.mdb'), 100_000);
    assert.throws(() => new EmbeddedStore({ dataDir: dir }), /data\.mdb is damaged.*page \d+ is not in the file/);
  });

  it('leaves a refused directory to the operator who repairs it', async () => {
    writeFileSync(path.join(dir, 'data.mdb'), 'x');
    assert.throws(() => new EmbeddedStore({ dataDir: dir }));
    rmSync(path.join(dir, 'data.mdb'));
    await new EmbeddedStore({ dataDir: dir }).close();
  });
});
