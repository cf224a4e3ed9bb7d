import assert from 'node:assert/strict';
import { FakeClock, settle } from '../../apimachinery/clock-testing.ts';
import { ExponentialBackoff } from './rate-limiter.ts';
import { WorkQueue } from './work-queue.ts';

describe('WorkQueue', () => {
  let clock: FakeClock;
  let queue: WorkQueue;
  beforeEach(() => {
    clock = new FakeClock();
    queue = new WorkQueue({ name: 'test', clock, rateLimiter: new ExponentialBackoff(5, 1_000_000) });
  });
  afterEach(() => queue.shutdown());
  const fail = (error: unknown): void => assert.fail(String(error));

  it('gives keys in the order in which they came, each once however often it was added', async () => {
    for (const key of ['b', 'a', 'b', '__proto__', 'b']) queue.add(key);
    assert.equal(queue.length, 3);
    assert.deepEqual([await queue.get(), await queue.get(), await queue.get()], ['b', 'a', '__proto__']);
  });

  it('gives a key to no other worker while it is in work, and again when it was added meanwhile', async () => {
    queue.add('a');
    assert.equal(await queue.get(), 'a');
    queue.add('a');
    queue.add('a');
    assert.equal(queue.length, 0);
    let next: string | undefined;
    void queue.get().then((key) => (next = key));
    await settle();
    assert.equal(next, undefined);
    queue.done('a');
    await settle();
    assert.equal(next, 'a');
    queue.done('a');
    assert.equal(queue.length, 0);
  });

  it('works on no key twice at a time, on any number of workers, and loses no addition', async () => {
    const inWork = new Set<string>();
    const seen = new Map<string, number>();
    const state = new Map<string, number>();
    const workers = queue.run(
      8,
      async (key) => {
        assert.ok(!inWork.has(key), key);
        inWork.add(key);
        const observed = state.get(key)!;
        await settle();
        seen.set(key, observed);
        inWork.delete(key);
      },
      { onError: fail },
    );
    for (let round = 1; round <= 50; round++) {
      for (let i = 0; i < 20; i++) {
        if ((round + i) % 3 === 0) continue;
        state.set(`k${i}`, round);
        queue.add(`k${i}`);
      }
      await new Promise(setImmediate);
    }
    await queue.shutdownWithDrain();
    await workers;
    assert.deepEqual(seen, state);
  });

  it('adds delayed keys when they are due, each at its earliest time, with one timer', async () => {
    queue.addAfter('late', 300);
    queue.addAfter('early', 100);
    queue.addAfter('twice', 200);
    queue.addAfter('twice', 50);
    queue.addAfter('twice', 400);
    queue.addAfter('now', 0);
    assert.equal(clock.pending, 1);
    const taken: [number, string | undefined][] = [];
    for (let i = 0; i < 8; i++) {
      while (queue.length > 0) taken.push([clock.steadyMs(), await queue.get()]);
      await clock.advance(50);
    }
    assert.deepEqual(taken, [
      [0, 'now'],
      [50, 'twice'],
      [100, 'early'],
      [300, 'late'],
    ]);
    assert.equal(clock.pending, 0);
  });

  it('keeps any number of delayed keys in the order of their times', async () => {
    const delays = Array.from({ length: 500 }, (_, i) => ((i * 7919) % 997) + 1);
    for (const [i, delay] of delays.entries()) queue.addAfter(`${i}`, delay);
    for (const [i, delay] of delays.entries()) if (i % 2 === 0) queue.addAfter(`${i}`, delay / 2);
    await clock.advance(1000);
    const due = delays.map((delay, i) => (i % 2 === 0 ? delay / 2 : delay));
    const taken: number[] = [];
    while (queue.length > 0) taken.push(due[Number(await queue.get())]!);
    assert.deepEqual(
      taken,
      due.toSorted((a, b) => a - b),
    );
  });

  it('gives failed keys back after a wait that doubles, until they are forgotten', async () => {
    const waits: number[] = [];
    for (let i = 0; i < 5; i++) {
      const before = clock.steadyMs();
      queue.addRateLimited('a');
      while (queue.length === 0) await clock.advance(1);
      waits.push(clock.steadyMs() - before);
      queue.done((await queue.get())!);
    }
    assert.deepEqual(waits, [5, 10, 20, 40, 80]);
    assert.equal(queue.numRequeues('a'), 5);
    queue.forget('a');
    assert.equal(queue.numRequeues('a'), 0);
    queue.addRateLimited('a');
    await clock.advance(5);
    assert.equal(queue.length, 1);
  });

  it('ends its workers when it is shut down, after what waits; adds and delays have no effect then', async () => {
    const worked: string[] = [];
    queue.add('a');
    queue.addAfter('b', 10);
    queue.shutdown();
    queue.add('c');
    queue.addAfter('d', 0);
    queue.addRateLimited('e');
    await queue.run(2, (key) => void worked.push(key), { onError: fail });
    await clock.advance(1000);
    assert.deepEqual([worked, clock.pending, queue.length], [['a'], 0, 0]);
  });

  it('drains: keys in work, and those that were added again meanwhile, are done first', async () => {
    const worked: string[] = [];
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const workers = queue.run(
      1,
      async (key) => {
        await gate;
        worked.push(key);
      },
      { onError: fail },
    );
    queue.add('a');
    await settle();
    queue.add('a');
    queue.add('b');
    let drained = false;
    const drain = queue.shutdownWithDrain().then(() => (drained = true));
    await settle();
    assert.equal(drained, false);
    open();
    await Promise.all([drain, workers]);
    assert.deepEqual(worked, ['a', 'b', 'a']);
  });

  it('is idle when nothing waits or is in work, whatever is delayed', async () => {
    await queue.idle();
    queue.addAfter('later', 1000);
    queue.add('a');
    let isIdle = false;
    const idle = queue.idle().then(() => (isIdle = true));
    assert.equal(await queue.get(), 'a');
    queue.add('a');
    queue.done('a');
    await new Promise(setImmediate);
    assert.equal(isIdle, false);
    assert.equal(await queue.get(), 'a');
    queue.done('a');
    await idle;
  });

  it('is drained at once when nothing is in work', async () => {
    await queue.shutdownWithDrain();
    assert.equal(await queue.get(), undefined);
  });
});

describe('the workers of a queue', () => {
  it('report failures, and work on the key again after its backoff', async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ name: 'test', clock });
    const reported: string[] = [];
    const tries: number[] = [];
    const workers = queue.run(
      1,
      (key) => {
        tries.push(clock.steadyMs());
        if (tries.length === 1) throw new Error('thrown');
        if (tries.length === 2) return Promise.reject(new Error('rejected'));
        assert.equal(queue.numRequeues(key), 2);
        return undefined;
      },
      {
        onError: (error, key) => {
          reported.push(`${key}: ${(error as Error).message}`);
          throw new Error('a report that fails');
        },
      },
    );
    queue.add('a');
    await clock.advance(1000);
    assert.deepEqual(tries, [0, 5, 15]);
    assert.deepEqual(reported, ['a: thrown', 'a: rejected']);
    assert.equal(queue.numRequeues('a'), 0);
    queue.shutdown();
    await workers;
  });

  it('work on a key again after the time that its handler asks for', async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ name: 'test', clock });
    const times: number[] = [];
    const workers = queue.run(1, () => (times.push(clock.steadyMs()) < 3 ? 1000 : undefined), {
      onError: () => undefined,
    });
    queue.add('a');
    await clock.advance(10_000);
    assert.deepEqual(times, [0, 1000, 2000]);
    queue.shutdown();
    await workers;
  });

  it('let the event loop go on though their handler never waits', async () => {
    const queue = new WorkQueue({ name: 'test' });
    let count = 0;
    let turned = false;
    setImmediate(() => (turned = true));
    const workers = queue.run(
      1,
      (key) => {
        count++;
        if (!turned) queue.add(key);
      },
      { onError: () => undefined },
    );
    queue.add('a');
    while (!turned) await new Promise(setImmediate);
    queue.shutdown();
    await workers;
    assert.ok(count > 1, String(count));
  });
});
