import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FollowedFiles } from './followed-files.ts';

describe('FollowedFiles', () => {
  let dir: string;
  let changes: number;
  let errors: unknown[];
  let failure: Error | undefined;
  let followed: FollowedFiles;

  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-followed-'));
    [changes, errors, failure] = [0, [], undefined];
  });
  afterEach(() => {
    followed.stop();
    rmSync(dir, { recursive: true });
  });

  const file = (name: string): string => path.join(dir, name);
  const write = (name: string, text: string): void => writeFileSync(file(name), text);

  /** Checks only when called, unless an interval is given. */
  async function follow(names: readonly string[], checkMs = 3600_000): Promise<void> {
    followed = new FollowedFiles(names.map(file), {
      checkMs,
      changed: () => {
        changes++;
        if (failure !== undefined) throw failure;
      },
      onError: (error) => errors.push(error),
    });
    await followed.start();
  }

  async function changesAfter(act: () => void): Promise<number> {
    const before = changes;
    act();
    await followed.check();
    await followed.check();
    return changes - before;
  }

  it('reports each change once, and nothing else', async () => {
    write('a', 'one');
    write('b', 'one');
    await follow(['a', 'b']);
    assert.equal(await changesAfter(() => undefined), 0);
    assert.equal(await changesAfter(() => readFileSync(file('a'))), 0);
    assert.equal(await changesAfter(() => write('a', 'two, longer')), 1);
    assert.equal(await changesAfter(() => write('b', 'two')), 1);
    assert.equal(
      await changesAfter(() => {
        write('a', '3');
        write('b', '3');
      }),
      1,
    );
    assert.equal(await changesAfter(() => write('c', 'of nobody')), 0);
    assert.deepEqual(errors, []);
  });

  it('sees what was put in its place, even of the same size and time', async () => {
    write('a', 'one');
    await follow(['a']);
    const { atime, mtime } = statSync(file('a'));
    assert.equal(
      await changesAfter(() => {
        write('next', 'two');
        utimesSync(file('next'), atime, mtime);
        renameSync(file('next'), file('a'));
      }),
      1,
    );
    // Written over, with the time put back.
    assert.equal(
      await changesAfter(() => {
        write('a', 'six');
        utimesSync(file('a'), atime, mtime);
      }),
      1,
    );
  });

  it('sees a link that leads elsewhere, as mounted configuration changes', async () => {
    for (const version of ['v1', 'v2']) {
      mkdirSync(file(version));
      write(`${version}/tls.crt`, 'same');
    }
    symlinkSync('v1', file('data'));
    symlinkSync('data/tls.crt', file('tls.crt'));
    await follow(['tls.crt']);
    assert.equal(
      await changesAfter(() => {
        symlinkSync('v2', file('data-next'));
        renameSync(file('data-next'), file('data'));
      }),
      1,
    );
  });

  it('sees that a file is gone, and that it is there again', async () => {
    write('a', 'one');
    await follow(['a']);
    assert.equal(await changesAfter(() => rmSync(file('a'))), 1);
    assert.equal(await changesAfter(() => write('a', 'one')), 1);
  });

  it('reports a change that cannot be used once, and the next one again', async () => {
    write('a', 'one');
    await follow(['a']);
    failure = new Error('cannot be used');
    await changesAfter(() => write('a', 'broken'));
    assert.deepEqual(errors, [failure]);
    await changesAfter(() => write('a', 'broken as well'));
    assert.deepEqual(errors, [failure, failure]);
    failure = undefined;
    assert.equal(await changesAfter(() => write('a', 'whole again')), 1);
    assert.equal(errors.length, 2);
  });

  it('reports a file that is gone, each time that it goes', async () => {
    write('a', 'one');
    await follow(['a']);
    for (const times of [1, 2]) {
      failure = new Error('there is no such file');
      await changesAfter(() => rmSync(file('a')));
      assert.equal(errors.length, times);
      failure = undefined;
      await changesAfter(() => write('a', 'one'));
    }
  });

  it('reports a change again until it can be used, as where files could not be read for another reason', async () => {
    write('a', 'one');
    await follow(['a']);
    failure = new Error('no more files can be open');
    assert.equal(await changesAfter(() => write('a', 'whole')), 2);
    failure = undefined;
    assert.equal(await changesAfter(() => undefined), 1);
    assert.equal(errors.length, 1);
  });

  it('checks at intervals, until it is stopped', async () => {
    write('a', 'one');
    write('next', 'two');
    await follow(['a'], 5);
    renameSync(file('next'), file('a'));
    while (changes === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    followed.stop();
    write('a', 'three, longer still');
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(changes, 1);
  });
});
