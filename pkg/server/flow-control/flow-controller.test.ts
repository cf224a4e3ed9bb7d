import assert from 'node:assert/strict';
import { parseRequestInfo } from '../request/request-info.ts';
import { ControllerScene, levelOf, limited, schemaOf } from './flow-testing.ts';
import { Seat, type Waiting } from './flow-controller.ts';
import { oneSeat } from './work.ts';

const info = parseRequestInfo('GET', '/api/v1/namespaces/a/pods', false);
const exempt = levelOf('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } });
const catchAll = levelOf('catch-all', limited(5, 0));
const masters = schemaOf('exempt', 1, 'exempt', [{ kind: 'Group', group: { name: 'system:masters' } }]);
const rest = schemaOf('rest', 9000, 'work', [{ kind: 'User', user: { name: '*' } }], {
  distinguisherMethod: { type: 'ByUser' },
});

describe('FlowController', () => {
  const scene = (seats = 10, levels = [exempt, catchAll, levelOf('work', limited(5, 8))], schemas = [masters, rest]) =>
    new ControllerScene(seats, schemas, levels);
  const ask = ({ controller }: ControllerScene, name: string, groups: string[] = [], work = oneSeat) => {
    const user = { name, groups };
    return controller.ask(controller.classify(user, info), user, info, work, undefined);
  };

  it('gives seats, queues requests, and passes seats on', async () => {
    const s = scene(4);
    assert.equal(s.level('work').set.seatLimit, 2);
    const seats = [ask(s, 'ann'), ask(s, 'bob')] as Seat[];
    const waiting = ask(s, 'cid') as Waiting;
    s.now = 3;
    seats[0]!.giveBack();
    seats[0]!.giveBack();
    const seat = await waiting.decided;
    assert.ok(seat instanceof Seat);
    assert.deepEqual(s.observed, [
      'rest/work waited true 0',
      'rest/work waited true 0',
      'rest/work enqueued 1',
      'rest/work waited true 3',
      'rest/work executed regular 3',
    ]);
    const [figures] = [...s.controller.flows];
    assert.deepEqual(
      [figures!.executing, figures!.executingSeats, figures!.waiting, figures!.waitingSeats, figures!.dispatched],
      [2, 2, 0, 0, 3],
    );
    assert.equal(s.level('work').set.seatsInUse, 2);
  });

  it('reports why a request gets no seat', async () => {
    const s = scene(4);
    ask(s, 'ann');
    ask(s, 'ann');
    const late = ask(s, 'ann') as Waiting;
    late.giveUp('time-out');
    assert.equal(await late.decided, 'time-out');
    assert.equal([...s.controller.flows][0]!.rejectedFor('time-out'), 1);
  });

  it('never queues exempt requests, at any load', () => {
    const s = scene(4);
    for (let i = 0; i < 50; i++) ask(s, 'ann');
    for (let i = 0; i < 5000; i++) assert.ok(ask(s, 'root', ['system:masters']) instanceof Seat);
  });

  it('lends unused seats, and takes them back', () => {
    const s = scene(100, [
      exempt,
      catchAll,
      levelOf('work', limited(45, 8)),
      levelOf('idle', limited(50, 8, { lendablePercent: 80 })),
    ]);
    assert.deepEqual(
      ['work', 'idle', 'catch-all'].map((name) => s.level(name).set.seatLimit),
      [45, 50, 5],
    );
    const seats = Array.from({ length: 100 }, (_, i) => ask(s, `user-${i}`));
    s.now = 10;
    s.controller.adjust();
    s.now = 20;
    s.controller.adjust();
    assert.ok(s.level('work').set.seatLimit > 75, `${s.level('work').set.seatLimit}`);
    assert.ok(s.level('idle').set.seatLimit >= 10);
    assert.ok(
      [...s.controller.levels].reduce((sum, { isExempt, set }) => sum + (isExempt ? 0 : set.seatLimit), 0) <= 101,
    );
    void seats;
  });

  it("keeps a removed level until its last request is over, and passes its schemas' requests to the fallback", () => {
    const s = scene();
    const seat = ask(s, 'ann') as Seat;
    s.controller.configure([masters, rest], [exempt, catchAll]);
    assert.equal(s.level('work').isQuiescing, true);
    assert.equal(s.controller.classify({ name: 'ann', groups: [] }, info).level.name, 'catch-all');
    seat.giveBack();
    s.controller.adjust();
    assert.throws(() => s.level('work'));
  });

  it('follows changes of a level while requests wait', async () => {
    const s = scene(4);
    ask(s, 'ann');
    ask(s, 'bob');
    const waiting = ask(s, 'cid') as Waiting;
    s.controller.configure([masters, rest], [exempt, catchAll, levelOf('work', limited(50, 2))]);
    assert.ok((await waiting.decided) instanceof Seat);
  });

  it('works without any object', () => {
    const s = scene(4, [], []);
    assert.ok(ask(s, 'ann') !== undefined);
    assert.equal(s.controller.classify({ name: 'ann', groups: [] }, info).schema.name, 'catch-all');
  });
});
