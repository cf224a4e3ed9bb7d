import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailableError } from '../store-errors.ts';
import { OwnerLock } from './owner-lock.ts';

describe('owner lock', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'binnacle-lock-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('refuses a second owner and names the first', () => {
    const lock = new OwnerLock(dir);
    assert.throws(() => new OwnerLock(dir), (error: Error) =>
      error instanceof StoreUnavailableError && error.message.includes(`process ${process.pid}`) && error.message.includes(dir));
    lock.release();
    new OwnerLock(dir).release();
    assert.deepEqual(readdirSync(dir), []);
  });

  it('refuses while another process holds it', () => {
    writeFileSync(join(dir, 'owner.lock'), `${process.ppid} - x\n`);
    assert.throws(() => new OwnerLock(dir), StoreUnavailableError);
  });

  for (const [name, content] of [
    ['whose process is gone', '4194303 1 x\n'],
    ['of an earlier process with our id', `${process.pid} 1 x\n`],
    ['of an earlier process with the id of a live one', `${process.ppid} 1 x\n`],
    ['that is damaged', 'nonsense'],
  ] as const) {
    it(`recovers a lock ${name}`, () => {
      writeFileSync(join(dir, 'owner.lock'), content);
      const lock = new OwnerLock(dir);
      assert.throws(() => new OwnerLock(dir), StoreUnavailableError);
      lock.release();
    });
  }

  it('leaves a lock alone that is no longer its own', () => {
    const lock = new OwnerLock(dir);
    writeFileSync(join(dir, 'owner.lock'), `${process.ppid} - y\n`);
    lock.release();
    assert.deepEqual(readdirSync(dir), ['owner.lock']);
  });
});
