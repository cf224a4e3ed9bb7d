import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openLocked } from '../storage/embedded/kernel-lock.ts';
import { makeEphemeralDirectory, removeAbandonedDirectories } from './ephemeral-directory.ts';

const LATER = Date.now() + 3_600_000;

describe('ephemeral directories', () => {
  it('are removed, and no listener is left', () => {
    const before = process.listenerCount('exit');
    const made = Array.from({ length: 20 }, () => makeEphemeralDirectory());
    assert.equal(process.listenerCount('exit'), before + 1);
    for (const directory of made) {
      writeFileSync(path.join(directory.path, 'file'), '');
      directory.remove();
      assert.equal(existsSync(directory.path), false);
    }
    assert.equal(process.listenerCount('exit'), before);
  });

  it('are removed where no process uses them any more, and others stay', async () => {
    const parent = mkdtempSync(path.join(tmpdir(), 'abandoned-'));
    const make = (name: string): string => {
      mkdirSync(path.join(parent, name, 'store'), { recursive: true });
      const lock = path.join(parent, name, 'store/owner.lock');
      writeFileSync(lock, '');
      return lock;
    };
    make('binnacle-ephemeral-dead');
    const held = openLocked(make('binnacle-ephemeral-used'))!;
    make('another-program');
    mkdirSync(path.join(parent, 'binnacle-ephemeral-begun'));
    symlinkSync(path.join(parent, 'another-program'), path.join(parent, 'binnacle-ephemeral-link'));
    try {
      await removeAbandonedDirectories(parent, Date.now());
      assert.ok(readdirSync(parent).includes('binnacle-ephemeral-dead'), 'too young');
      await removeAbandonedDirectories(parent, LATER);
      assert.deepEqual(readdirSync(parent).sort(), [
        'another-program',
        'binnacle-ephemeral-begun',
        'binnacle-ephemeral-link',
        'binnacle-ephemeral-used',
      ]);
      assert.ok(existsSync(path.join(parent, 'another-program/store/owner.lock')));
      closeSync(held);
      await removeAbandonedDirectories(parent, LATER);
      assert.ok(!readdirSync(parent).includes('binnacle-ephemeral-used'));
    } finally {
      rmSync(parent, { recursive: true });
    }
  });
});
