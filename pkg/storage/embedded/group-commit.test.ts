import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { GroupCommit } from './group-commit.ts';

/** A disk whose flushes end when the test says so. */
class Disk {
  readonly groups: number[][] = [];
  readonly #ends: { resolve: () => void; reject: (error: Error) => void }[] = [];

  write = (group: readonly number[]): Promise<void> => {
    this.groups.push([...group]);
    return new Promise((resolve, reject) => this.#ends.push({ resolve, reject }));
  };

  async flush(error?: Error): Promise<void> {
    const end = this.#ends.shift();
    assert.ok(end, 'a write is in flight');
    if (error === undefined) end.resolve();
    else end.reject(error);
    await setImmediate();
  }
}

describe('group commit', () => {
  let disk: Disk;
  let durable: number[];
  let commit: GroupCommit<number>;
  beforeEach(() => {
    disk = new Disk();
    durable = [];
    commit = new GroupCommit<number>({
      write: disk.write,
      onDurable: (group) => durable.push(...group),
      onFailure: (dropped, cause) => new Error(`lost ${dropped.join(',')}: ${(cause as Error).message}`),
      groupMax: 3,
    });
  });

  it('acknowledges after the flush, not before', async () => {
    let acknowledged = false;
    const done = commit.add(1).then(() => (acknowledged = true));
    await setImmediate();
    assert.deepEqual([disk.groups, acknowledged], [[[1]], false]);
    await disk.flush();
    await done;
    assert.deepEqual(durable, [1]);
  });

  it('groups what comes during a flush, in order and within the bound', async () => {
    const done = [commit.add(1)];
    await setImmediate();
    for (let op = 2; op <= 6; op++) done.push(commit.add(op));
    await disk.flush();
    await disk.flush();
    await disk.flush();
    await Promise.all(done);
    assert.deepEqual(disk.groups, [[1], [2, 3, 4], [5, 6]]);
    assert.deepEqual(durable, [1, 2, 3, 4, 5, 6]);
  });

  it('fails a group and what was waiting behind it, then goes on', async () => {
    const first = commit.add(1);
    await setImmediate();
    const second = commit.add(2);
    const outcomes = Promise.allSettled([first, second]);
    await disk.flush(new Error('disk full'));
    for (const outcome of await outcomes) {
      assert.equal(outcome.status === 'rejected' && outcome.reason.message, 'lost 1,2: disk full');
    }
    const third = commit.add(3);
    await setImmediate();
    await disk.flush();
    await third;
    await commit.drained();
    assert.deepEqual(durable, [3]);
  });
});
