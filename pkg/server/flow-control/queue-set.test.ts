import assert from 'node:assert/strict';
import { Flow, QueuedRequest, QueueSet, type QueueSetShape, type RejectReason } from './queue-set.ts';
import { oneSeat, type WorkEstimate } from './work.ts';

const shape: QueueSetShape = { queues: 16, handSize: 4, queueLengthLimit: 50 };

/** A queue set on the clock of the test. */
class Scene {
  now = 0;
  readonly set: QueueSet;
  readonly timers: { at: number; run: () => void }[] = [];
  readonly running: QueuedRequest[] = [];
  readonly refused: (readonly [QueuedRequest, RejectReason])[] = [];
  /** Called with each request that starts. */
  onStart: (request: QueuedRequest) => void = () => undefined;

  constructor(limit: number, { queues, handSize, queueLengthLimit }: QueueSetShape = shape) {
    this.set = new QueueSet('level', () => this.now, { changed: () => undefined });
    this.set.configure({ queues, handSize, queueLengthLimit });
    this.set.setLimit(limit);
  }

  ask(flow: string, work: WorkEstimate = oneSeat): QueuedRequest {
    const request = new QueuedRequest(new Flow('schema', flow), work);
    const outcome = this.set.ask(request, (reason) =>
      reason === undefined ? this.start(request) : this.refused.push([request, reason]),
    );
    if (outcome === 'started') this.start(request);
    else if (outcome !== undefined) this.refused.push([request, outcome]);
    return request;
  }

  private start(request: QueuedRequest): void {
    this.running.push(request);
    this.onStart(request);
  }

  finish(request: QueuedRequest): void {
    this.running.splice(this.running.indexOf(request), 1);
    this.set.finish(request, (run, seconds) => this.timers.push({ at: this.now + seconds, run }));
  }

  pass(seconds: number): void {
    this.now += seconds;
    for (const timer of this.timers.filter(({ at }) => at <= this.now)) {
      this.timers.splice(this.timers.indexOf(timer), 1);
      timer.run();
    }
  }

  /** Every invariant that does not depend on the history. */
  check(limit: number): void {
    const { set, running } = this;
    const widths = running.reduce((sum, { width }) => sum + width, 0);
    assert.ok(set.seatsInUse >= widths, 'seats of requests in flight');
    assert.equal(set.executing, running.length);
    assert.ok(
      set.seatsInUse <= limit || running.length === 1 || this.timers.length > 0,
      `${set.seatsInUse} seats of ${limit}`,
    );
    assert.equal(
      set.queues.reduce((sum, queue) => sum + queue.waiting.size, 0),
      set.waiting,
    );
    assert.equal(
      set.queues.reduce((sum, queue) => sum + queue.seatsInUse, 0),
      set.seatsInUse,
    );
    assert.equal(set.queues.filter(({ isActive }) => isActive).length, set.activeQueueCount);
  }
}

describe('QueueSet', () => {
  it('starts what there are seats for, and the rest as they become free', () => {
    const scene = new Scene(2);
    const [a, b, c] = ['a', 'a', 'b'].map((flow) => scene.ask(flow));
    assert.deepEqual(scene.running, [a, b]);
    scene.pass(0.1);
    scene.finish(a!);
    assert.deepEqual(scene.running, [b, c]);
    scene.check(2);
  });

  it('refuses where there are no queues, or the one queue is full', () => {
    const rejecting = new Scene(1, { queues: 0, handSize: 1, queueLengthLimit: 0 });
    const first = rejecting.ask('a');
    rejecting.ask('a');
    assert.deepEqual(
      rejecting.refused.map(([, reason]) => reason),
      ['concurrency-limit'],
    );
    rejecting.finish(first);
    rejecting.ask('a');
    assert.equal(rejecting.running.length, 1);
    const full = new Scene(1, { queues: 1, handSize: 1, queueLengthLimit: 2 });
    for (let i = 0; i < 5; i++) full.ask('a');
    assert.deepEqual(
      full.refused.map(([, reason]) => reason),
      ['queue-full', 'queue-full'],
    );
  });

  it('never queues an exempt request', () => {
    const scene = new Scene(Infinity, { queues: 0, handSize: 1, queueLengthLimit: 0 });
    for (let i = 0; i < 10_000; i++) scene.ask('a', { seats: 10, finalSeats: 0, finalSeconds: 0 });
    assert.deepEqual([scene.running.length, scene.refused.length], [10_000, 0]);
  });

  it('gives a new flow its turn beside a flow with a long queue', () => {
    const scene = new Scene(4);
    for (let i = 0; i < 100; i++) scene.ask('elephant');
    scene.pass(1);
    const mouse = scene.ask('mouse');
    // One more of each queue of the other's hand may be as early.
    for (let i = 0; i < 5; i++) scene.finish(scene.running[0]!);
    assert.ok(scene.running.includes(mouse), 'the newcomer is among the next');
  });

  it('removes a request that gives up, with the reason', () => {
    const scene = new Scene(1);
    scene.ask('a');
    const waiting = scene.ask('a');
    scene.set.remove(waiting, 'time-out');
    scene.set.remove(waiting, 'cancelled');
    assert.deepEqual(scene.refused, [[waiting, 'time-out']]);
    assert.equal(scene.set.waiting, 0);
  });

  it('lets no request overtake a wide one, and runs one wider than the limit alone', () => {
    const scene = new Scene(4);
    const narrow = [scene.ask('a'), scene.ask('b')];
    const wide = scene.ask('wide', { seats: 10, finalSeats: 0, finalSeconds: 0 });
    assert.deepEqual(scene.running, narrow);
    narrow.forEach((request) => scene.finish(request));
    assert.deepEqual(scene.running, [wide]);
    const behind = scene.ask('a');
    scene.finish(wide);
    assert.deepEqual(scene.running, [behind]);
  });

  it('keeps the seats of a second phase for the estimated time', () => {
    const scene = new Scene(2);
    const write = scene.ask('a', { seats: 1, finalSeats: 2, finalSeconds: 0.5 });
    scene.finish(write);
    const read = scene.ask('b');
    assert.deepEqual([scene.running, scene.set.seatsInUse], [[], 2]);
    scene.pass(0.5);
    assert.deepEqual(scene.running, [read]);
  });

  it('serves requests in queues that were removed by configuration', () => {
    const scene = new Scene(1);
    const first = scene.ask('a');
    const waiting = Array.from({ length: 20 }, (_, i) => scene.ask(`flow-${i}`));
    scene.set.configure({ queues: 2, handSize: 1, queueLengthLimit: 50 });
    scene.finish(first);
    while (scene.running.length > 0) scene.finish(scene.running[0]!);
    assert.ok(waiting.every(({ startedAt }) => startedAt !== undefined));
    assert.equal(scene.set.queues.length, 2);
    scene.ask('a');
    scene.check(1);
  });

  it('gives added seats to queued requests', () => {
    const scene = new Scene(0);
    scene.ask('a');
    scene.ask('a');
    assert.equal(scene.running.length, 0);
    scene.set.setLimit(2);
    assert.equal(scene.running.length, 2);
  });

  it('shares seat-seconds alike among busy flows, of any width and duration', () => {
    const scene = new Scene(20, { queues: 64, handSize: 6, queueLengthLimit: 500 });
    const kinds = [
      { seats: 1, seconds: 0.1 },
      { seats: 10, seconds: 0.1 },
      { seats: 1, seconds: 1 },
      { seats: 5, seconds: 0.3 },
    ];
    const used = kinds.map(() => 0);
    const ends = new Map<QueuedRequest, number>();
    const kindOf = (request: QueuedRequest): number => Number(request.flow.distinguisher);
    scene.onStart = (request) => ends.set(request, scene.now + kinds[kindOf(request)]!.seconds);
    const fill = (): void => {
      for (const [i, { seats }] of kinds.entries()) {
        // Many of each are always queued or in flight.
        const present = [...scene.set.requests()].filter(([, request]) => kindOf(request) === i).length;
        for (let n = present; n < 300; n++) scene.ask(String(i), { seats, finalSeats: 0, finalSeconds: 0 });
      }
    };
    for (let tick = 0; tick < 3000; tick++) {
      fill();
      scene.pass(0.05);
      for (const request of scene.running.slice()) {
        used[kindOf(request)]! += request.width * 0.05;
        if (ends.get(request)! <= scene.now + 1e-9) scene.finish(request);
      }
      scene.check(20);
    }
    const all = used.reduce((a, b) => a + b, 0);
    assert.ok(all > 0.8 * 20 * 150, `seats were in use: ${all}`);
    for (const [i, seatSeconds] of used.entries())
      assert.ok(seatSeconds > (0.85 * all) / 4, `flow ${i} got ${seatSeconds} of ${all}`);
  });

  for (const seed of [1, 2, 3, 4, 5]) {
    it(`loses no seat and starts every request or reports why, in any order of events (seed ${seed})`, () => {
      let state = seed;
      const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
      let limit = 8;
      const scene = new Scene(limit);
      const asked: QueuedRequest[] = [];
      for (let i = 0; i < 5000; i++) {
        const what = random(100);
        if (what < 45)
          asked.push(
            scene.ask(`flow-${random(30)}`, {
              seats: 1 + random(12),
              finalSeats: random(3) === 0 ? random(12) : 0,
              finalSeconds: 0.01 * random(5),
            }),
          );
        else if (what < 85 && scene.running.length > 0) scene.finish(scene.running[random(scene.running.length)]!);
        else if (what < 92) scene.pass(0.01 * random(10));
        else if (what < 97) scene.set.remove(asked[random(asked.length)] ?? scene.ask('x'), 'time-out');
        else if (what < 98) scene.set.setLimit((limit = 1 + random(16)));
        else if (what < 99)
          scene.set.configure({ queues: 1 + random(20), handSize: 1 + random(4), queueLengthLimit: 1 + random(50) });
        assert.equal(
          scene.set.queues.reduce((sum, queue) => sum + queue.seatsInUse, 0),
          scene.set.seatsInUse,
        );
      }
      scene.set.setLimit(8);
      for (let i = 0; i < 100_000 && !scene.set.isIdle; i++) {
        scene.pass(1);
        while (scene.running.length > 0) scene.finish(scene.running[0]!);
      }
      assert.deepEqual(
        [
          scene.set.seatsInUse,
          scene.set.executing,
          scene.set.waiting,
          scene.set.waitingSeats,
          scene.set.activeQueueCount,
        ],
        [0, 0, 0, 0, 0],
      );
      const refused = new Set(scene.refused.map(([request]) => request));
      assert.equal(refused.size, scene.refused.length);
      for (const request of asked) assert.equal(refused.has(request), request.startedAt === undefined);
    });
  }
});
