import assert from 'node:assert/strict';
import { respondText } from '../answers/respond.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requestOf, sent } from './filter-testing.ts';
import { limitInFlight } from './limit-in-flight.ts';

const somebody = { name: 'somebody', groups: ['system:authenticated'] };
const master = { name: 'admin', groups: ['system:masters'] };

describe('limitInFlight', () => {
  let finish: (() => void)[];
  const held = (context: RequestContext): Promise<void> =>
    new Promise((resolve) =>
      finish.push(() => {
        respondText(context, 200, 'done');
        resolve();
      }),
    );
  beforeEach(() => (finish = []));
  const send = (filter: ReturnType<ReturnType<typeof limitInFlight>>, method: string, url: string, user = somebody) => {
    const { context, answer } = requestOf(method, url, {}, user);
    return { answer, ended: filter(context) };
  };

  it('refuses requests beyond the limit of their kind, and accepts more when some have ended', async () => {
    const filter = limitInFlight({ readOnly: 2, mutating: 1 })(held);
    const [first] = ['/api/v1/pods', '/api/v1/nodes'].map((url) => send(filter, 'GET', url));
    const write = send(filter, 'POST', '/api/v1/namespaces/a/pods');
    const refused = [send(filter, 'GET', '/version'), send(filter, 'DELETE', '/api/v1/namespaces/a/pods/b')];
    await Promise.all(refused.map(({ ended }) => ended));
    await sent();
    for (const { answer } of refused) {
      assert.deepEqual(
        [answer.status, answer.headers['retry-after'], answer.body],
        [429, '1', 'Too many requests, please try again later.\n'],
      );
    }
    finish[0]!();
    await first!.ended;
    const next = send(filter, 'GET', '/api/v1/pods');
    finish.forEach((done) => done());
    await Promise.all([write.ended, next.ended]);
    assert.deepEqual([write.answer.status, next.answer.status], [200, 200]);
  });

  it('releases the place of a failed request', async () => {
    let fails = true;
    const filter = limitInFlight({ readOnly: 1, mutating: 1 })(async () => {
      if (fails) throw new Error('no');
    });
    await assert.rejects(send(filter, 'GET', '/api/v1/pods').ended);
    fails = false;
    const { answer, ended } = send(filter, 'GET', '/api/v1/pods');
    await ended;
    assert.equal(answer.status, 0);
  });

  it('releases the place of a request that waits for its client, and takes one again when there is one', async () => {
    const filter = limitInFlight({ readOnly: 1, mutating: 1 })(held);
    const { context } = requestOf('POST', '/api/v1/namespaces/a/pods', {}, somebody);
    const slow = filter(context);
    context.place!.leave(0);
    const other = send(filter, 'POST', '/api/v1/namespaces/a/pods');
    await assert.rejects(
      context.place!.takeAgain(),
      (error: { status?: { code?: number } }) => error.status?.code === 429,
    );
    finish[1]!();
    await other.ended;
    await context.place!.takeAgain();
    const refused = send(filter, 'POST', '/api/v1/namespaces/a/pods');
    await refused.ended;
    await sent();
    assert.equal(refused.answer.status, 429);
    finish[0]!();
    await slow;
    void send(filter, 'POST', '/api/v1/namespaces/a/pods');
    assert.equal(finish.length, 3);
  });

  it('passes administrators, health checks and long-running requests', async () => {
    const filter = limitInFlight({ readOnly: 1, mutating: 1 })(held);
    send(filter, 'GET', '/api/v1/pods');
    const through = [
      send(filter, 'GET', '/api/v1/pods', master),
      send(filter, 'GET', '/healthz'),
      send(filter, 'GET', '/readyz/etcd'),
      send(filter, 'GET', '/api/v1/pods?watch=true'),
      send(filter, 'GET', '/api/v1/namespaces/a/pods/b/log'),
    ];
    const refused = send(filter, 'GET', '/healthzz');
    await refused.ended;
    assert.equal(refused.answer.status, 429);
    finish.forEach((done) => done());
    await Promise.all(through.map(({ ended }) => ended));
    assert.deepEqual(
      through.map(({ answer }) => answer.status),
      [200, 200, 200, 200, 200],
    );
  });

  it('counts no request that passed beyond the limit', async () => {
    const filter = limitInFlight({ readOnly: 1, mutating: 1 })(held);
    const first = send(filter, 'GET', '/api/v1/pods');
    send(filter, 'GET', '/api/v1/pods', master);
    finish[0]!();
    await first.ended;
    const next = send(filter, 'GET', '/api/v1/pods');
    finish.forEach((done) => done());
    await next.ended;
    await sent();
    assert.equal(next.answer.status, 200);
  });

  it('has separate places for nodes and controllers when the others are taken, and a limit for these', async () => {
    const filter = limitInFlight({ readOnly: 1, mutating: 1 })(held);
    send(filter, 'GET', '/api/v1/pods');
    const node = { name: 'system:node:n1', groups: ['system:nodes'] };
    const scheduler = { name: 'system:kube-scheduler', groups: [] };
    const controller = {
      name: 'system:serviceaccount:kube-system:c',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system'],
    };
    const other = {
      name: 'system:serviceaccount:default:c',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default'],
    };
    for (const user of [scheduler, controller, node]) {
      const [through, more, others] = [
        send(filter, 'GET', '/api/v1/pods', user),
        send(filter, 'GET', '/api/v1/pods', user),
        send(filter, 'GET', '/api/v1/pods', other),
      ];
      await Promise.all([more.ended, others.ended]);
      finish.pop()!();
      await through.ended;
      await sent();
      assert.deepEqual(
        [through, more, others].map(({ answer }) => answer.status),
        [200, 429, 429],
        user.name,
      );
    }
    finish.forEach((done) => done());
  });

  it('has no limit where that is 0', async () => {
    const filter = limitInFlight({ readOnly: 0, mutating: 0 })(held);
    const sent = Array.from({ length: 1000 }, () => send(filter, 'GET', '/api/v1/pods'));
    finish.forEach((done) => done());
    await Promise.all(sent.map(({ ended }) => ended));
    assert.ok(sent.every(({ answer }) => answer.status === 200));
  });
});
