import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StoreUnavailableError } from '../store-errors.ts';
import { checkDataFile } from './data-file.ts';
import { EmbeddedStore } from './embedded-store.ts';

describe('checkDataFile', () => {
  let dir: string;
  beforeEach(() => { dir = mkdtempSync(path.join(tmpdir(), 'binnacle-data-file-')); });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('lets nothing, an empty file and a database be opened', async () => {
    checkDataFile(dir);
    writeFileSync(path.join(dir, 'data.mdb'), '');
    checkDataFile(dir);
    await new EmbeddedStore({ dataDir: dir }).close();
    checkDataFile(dir);
  });

  for (const [what, bytes] of [['zeros', Buffer.alloc(8192)], ['text', Buffer.from('no database\n'.repeat(1000))], ['a few bytes', Buffer.from('x')]] as const) {
    it(`refuses ${what}, before the library would end the process`, () => {
      writeFileSync(path.join(dir, 'data.mdb'), bytes);
      assert.throws(() => new EmbeddedStore({ dataDir: dir }), (error) => error instanceof StoreUnavailableError && error.message === `${dir}/data.mdb is damaged, or no database of this program`);
    });
  }

  it('leaves a refused directory to whoever repairs it', async () => {
    writeFileSync(path.join(dir, 'data.mdb'), 'x');
    assert.throws(() => new EmbeddedStore({ dataDir: dir }));
    rmSync(path.join(dir, 'data.mdb'));
    await new EmbeddedStore({ dataDir: dir }).close();
  });
});
