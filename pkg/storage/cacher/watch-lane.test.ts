import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestSink } from './cacher-testing.ts';
import { DeliveryTurns } from './delivery-turns.ts';
import { WatchLane } from './watch-lane.ts';

describe('WatchLane', () => {
  let intervalMs: number;
  const makeLane = () =>
    new WatchLane({ turns: new DeliveryTurns(), bufferedBytesMax: 100, intervalMs: () => intervalMs });
  const line = (n: number) => Buffer.from(`${n}\n`);

  beforeEach(() => {
    intervalMs = 0;
  });

  it('writes the frames of a turn at once, to each watcher those after it joined', async () => {
    const lane = makeLane();
    const [early, late, last] = [new TestSink(), new TestSink(), new TestSink()];
    lane.join(early);
    lane.push(line(1));
    lane.join(late);
    lane.push(line(2));
    lane.join(last);
    assert.equal(lane.settled, false);
    await early.untilLines(2);
    assert.equal(lane.settled, true);
    assert.deepEqual(
      [early, late, last].map((sink) => [sink.lines, sink.writes]),
      [
        [['1', '2'], 1],
        [['2'], 1],
        [[], 0],
      ],
    );
    lane.push(line(3));
    assert.deepEqual(await last.untilLines(1), ['3']);
    assert.deepEqual(
      [early.lines, late.lines],
      [
        ['1', '2', '3'],
        ['2', '3'],
      ],
    );
  });

  it('gathers between two deliveries for as long as configured', async () => {
    const lane = makeLane();
    const sink = new TestSink();
    lane.join(sink);
    lane.push(line(0));
    await sink.untilLines(1);
    intervalMs = 60;
    for (let n = 1; n <= 5; n++) {
      lane.push(line(n));
      await sleep(1);
    }
    assert.equal(sink.writes, 1);
    await sink.untilLines(6);
    assert.equal(sink.writes, 2);
  });

  it('writes to no sink that has left, ended or fallen behind', async () => {
    const lane = makeLane();
    const [gone, ended, slow, stays] = [new TestSink(), new TestSink(), new TestSink(), new TestSink()];
    for (const sink of [gone, ended, slow, stays]) lane.join(sink);
    lane.push(line(1));
    lane.leave(gone);
    ended.end();
    slow.buffered = 101;
    await stays.untilLines(1);
    assert.deepEqual(
      [gone, ended, slow].map((sink) => sink.text),
      ['', '', ''],
    );
    assert.equal(slow.closed, true);
    assert.equal(lane.size, 1);
  });
});
