import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { ControllerScene, levelOf, limited, schemaOf } from '../flow-control/flow-testing.ts';
import { UnreadAnswers } from '../flow-control/unread-answers.ts';
import type { RequestContext } from '../request/request-context.ts';
import { respondText } from '../answers/respond.ts';
import { requestOf, sent } from './filter-testing.ts';
import { shareFairly } from './share-fairly.ts';

const noSizes = { objectsOf: () => 0, watchersOf: () => 0 };
const somebody = { name: 'somebody', groups: ['system:authenticated'] };
const master = { name: 'admin', groups: ['system:masters'] };

describe('shareFairly', () => {
  let scene: ControllerScene;
  let unread: UnreadAnswers;
  let finish: (() => void)[];

  beforeEach(() => {
    finish = [];
    unread = new UnreadAnswers({ processBytes: 1000, userBytes: 100 });
    scene = new ControllerScene(
      2,
      [
        schemaOf('masters', 1, 'exempt', [{ kind: 'Group', group: { name: 'system:masters' } }]),
        schemaOf('work', 5, 'work', [{ kind: 'User', user: { name: '*' } }]),
      ],
      [
        levelOf('exempt', { type: 'Exempt' }),
        levelOf('catch-all', limited(0, 0)),
        levelOf('work', limited(5, 1, { queueLengthLimit: 2 })),
      ],
    );
  });

  const held = (context: RequestContext): Promise<void> =>
    new Promise((resolve) =>
      finish.push(() => {
        respondText(context, 200, 'done');
        resolve();
      }),
    );
  function send(method: string, url: string, user = somebody, deadlineMs?: number) {
    const { context, answer } = requestOf(method, url, {}, user);
    Object.assign(context.response, {
      on: EventEmitter.prototype.on,
      once: EventEmitter.prototype.once,
      off: EventEmitter.prototype.off,
      removeListener: EventEmitter.prototype.removeListener,
      emit: EventEmitter.prototype.emit,
    });
    context.deadlineMs = deadlineMs;
    return {
      context,
      answer,
      ended: shareFairly({ controller: scene.controller, sizes: noSizes, unread })(held)(context),
    };
  }
  const work = () => scene.level('work').set;

  it('queues requests for seats, refuses what no queue takes, and reports schema and level', async () => {
    const sends = Array.from({ length: 5 }, () => send('GET', '/api/v1/namespaces/a/pods/p'));
    assert.deepEqual([finish.length, work().waiting], [2, 2]);
    await sends[4]!.ended;
    await sent();
    const { status, headers, body } = sends[4]!.answer;
    assert.deepEqual(
      [status, headers['retry-after'], body],
      [429, '1', 'Too many requests, please try again later.\n'],
    );
    assert.deepEqual(
      [headers['x-kubernetes-pf-flowschema-uid'], headers['x-kubernetes-pf-prioritylevel-uid']],
      ['uid-of-work', 'uid-of-work'],
    );
    while (finish.length > 0) {
      finish.shift()!();
      await sent();
    }
    await Promise.all(sends.map(({ ended }) => ended));
    assert.deepEqual([sends.map(({ answer }) => answer.status), work().isIdle], [[200, 200, 200, 200, 429], true]);
  });

  it('passes exempt and long-running requests', () => {
    for (let i = 0; i < 4; i++) void send('GET', '/version');
    for (const [url, user] of [
      ['/version', master],
      ['/api/v1/namespaces/a/pods/b/log', somebody],
      ['/api/v1/namespaces/a/pods/b/exec', somebody],
    ] as const)
      void send('GET', url, user);
    assert.equal(finish.length, 5);
  });

  it('answers 429 for who waited for a quarter of its time, and forgets who left', async () => {
    for (let i = 0; i < 2; i++) void send('GET', '/version');
    const late = send('GET', '/version', somebody, performance.now() + 40);
    const gone = send('GET', '/version');
    gone.context.response.emit('close');
    await Promise.all([late.ended, gone.ended]);
    await sent();
    const [flow] = [...scene.controller.flows].filter(({ schema }) => schema === 'work');
    assert.deepEqual(
      [late.answer.status, flow!.rejectedFor('time-out'), flow!.rejectedFor('cancelled'), work().waiting],
      [429, 1, 1, 0],
    );
  });

  it('releases the seat when the answer waits for its client, and bounds such answers', async () => {
    const { context, ended } = send('GET', '/api/v1/pods');
    context.place!.leave(120);
    context.place!.leave(120);
    assert.deepEqual([work().seatsInUse, unread.bytes], [0, 120]);
    assert.throws(
      () => send('GET', '/api/v1/pods'),
      (error: { status?: { code?: number } }) => error.status?.code === 429,
    );
    void send('POST', '/api/v1/namespaces/a/pods');
    void send('GET', '/api/v1/pods', { name: 'other', groups: [] });
    assert.equal(finish.length, 3);
    finish[0]!();
    await ended;
    assert.deepEqual([work().seatsInUse, unread.bytes], [2, 120]);
    context.response.emit('close');
    assert.equal(unread.bytes, 0);
  });

  it('gives a seat again to a request that had none while its body came, behind the queue', async () => {
    const slow = send('POST', '/api/v1/namespaces/a/pods');
    void send('GET', '/version');
    slow.context.place!.leave(0);
    void send('GET', '/version');
    void send('GET', '/version');
    assert.deepEqual([work().executing, work().waiting], [2, 1]);
    let isBack = false;
    const back = slow.context.place!.takeAgain().then(() => {
      isBack = true;
    });
    finish[1]!();
    await sent();
    assert.deepEqual([isBack, work().executing, work().waiting], [false, 2, 1]);
    finish[2]!();
    await back;
    assert.equal(work().executing, 2);
    finish[0]!();
    await slow.ended;
    assert.equal(work().executing, 1);
  });

  it('refuses a request that cannot get its seat again', async () => {
    const slow = send('POST', '/api/v1/namespaces/a/pods');
    slow.context.place!.leave(0);
    for (let i = 0; i < 4; i++) void send('GET', '/version');
    await assert.rejects(
      slow.context.place!.takeAgain(),
      (error: { status?: { code?: number } }) => error.status?.code === 429,
    );
    finish[0]!();
    await slow.ended;
    assert.equal(work().executing, 2);
  });

  it('gives a watch a seat until it has begun', () => {
    const { context } = send('GET', '/api/v1/pods?watch=true');
    assert.equal(work().seatsInUse, 1);
    context.place!.leave(0);
    assert.equal(work().seatsInUse, 0);
  });

  it('releases the seat of a failed request', async () => {
    const filter = shareFairly({ controller: scene.controller, sizes: noSizes, unread })(async () => {
      throw new Error('no');
    });
    for (let i = 0; i < 5; i++) await assert.rejects(filter(requestOf('GET', '/version', {}, somebody).context));
    assert.equal(work().isIdle, true);
  });
});
