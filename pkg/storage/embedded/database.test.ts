import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedDatabase } from './database.ts';
import { encodeRevision } from './record.ts';

describe('the embedded database', () => {
  let dir: string;
  let database: EmbeddedDatabase;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'binnacle-database-'));
    database = new EmbeddedDatabase(dir);
  });
  afterEach(async () => {
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Puts values of 3 KB and reads each back, as pages that were read count as memory. */
  async function grow(from: number, count: number): Promise<void> {
    const { log } = database.tables;
    await database.write(() => {
      for (let n = from; n < from + count; n++) void log.put(encodeRevision(n), Buffer.alloc(3000, n));
    });
    for (let n = from; n < from + count; n++) assert.equal(log.getBinary(encodeRevision(n))?.[0], n % 256);
  }

  it('maps its file once, however much it grows', async function () {
    if (!existsSync('/proc/self/maps')) this.skip();
    for (let round = 0; round < 8; round++) await grow(1 + round * 300, 300);
    const file = join(dir, 'data.mdb');
    assert.ok(statSync(file).size > 5e6);
    assert.equal(
      readFileSync('/proc/self/maps', 'utf8')
        .split('\n')
        .filter((line) => line.endsWith(file)).length,
      1,
    );
  });

  it('allocates no disk space for its maximum size', async () => {
    await grow(1, 10);
    assert.ok(statSync(join(dir, 'data.mdb')).blocks * 512 < 1e6);
  });
});
