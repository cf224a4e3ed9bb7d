import assert from 'node:assert/strict';
import { respondText } from '../answers/respond.ts';
import { requestOf, sent } from './filter-testing.ts';
import { recover } from './recover.ts';
import { timeoutRequests } from './timeout.ts';

describe('timeoutRequests', () => {
  const never = (): Promise<void> => new Promise(() => undefined);
  const chain = (handler: Parameters<ReturnType<typeof timeoutRequests>>[0], limitMs = 20) =>
    recover((error) => assert.fail(String(error)))(timeoutRequests(limitMs)(handler));

  it('passes a request that is in time', async () => {
    const { context, answer } = requestOf('GET', '/api/v1/pods');
    await chain(async (c) => respondText(c, 200, 'here'))(context);
    await sent();
    assert.deepEqual([answer.status, answer.body], [200, 'here']);
  });

  it('answers 504 for one that is not, once', async () => {
    const { context, answer } = requestOf('POST', '/api/v1/namespaces/a/pods');
    let late!: () => void;
    const handler = new Promise<void>((resolve) => (late = resolve)).then(() => respondText(context, 201, 'late'));
    await chain(() => handler)(context);
    late();
    await handler;
    await sent();
    const { message, reason, code } = JSON.parse(answer.body) as Record<string, unknown>;
    assert.deepEqual(
      [answer.status, code, reason, message],
      [504, 504, 'Timeout', 'Timeout: request did not complete within the allotted timeout'],
    );
  });

  it('ignores failures after its answer', async () => {
    const { context, answer } = requestOf('GET', '/api/v1/pods');
    let fail!: (error: Error) => void;
    await chain(() => new Promise((_, reject) => (fail = reject)))(context);
    fail(new Error('too late to matter'));
    await new Promise(setImmediate);
    assert.equal(answer.status, 504);
  });

  it('takes a shorter time from the request, never a longer one', async () => {
    for (const url of [
      '/api/v1/pods?timeout=10ms',
      '/api/v1/pods?timeout=1h',
      '/api/v1/pods?timeout=0s',
      '/api/v1/pods?timeout=-1s',
      '/api/v1/pods?timeout=',
    ]) {
      const { context, answer } = requestOf('GET', url);
      await chain(never, url.includes('10ms') ? 3_600_000 : 10)(context);
      assert.equal(answer.status, 504, url);
    }
  });

  it('refuses an invalid time, and does nothing of the request', async () => {
    const { context, answer } = requestOf('POST', '/api/v1/namespaces/a/pods?timeout=soon');
    await chain(() => assert.fail('the request was done'))(context);
    await sent();
    assert.deepEqual(
      [answer.status, (JSON.parse(answer.body) as { message: string }).message],
      [400, 'invalid timeout specified in the request URL - time: invalid duration "soon"'],
    );
  });

  it('waits as long as timers can where the limit is longer', async () => {
    const { context, answer } = requestOf('GET', '/api/v1/pods');
    await chain(() => new Promise((resolve) => setTimeout(resolve, 20)), 2 ** 40)(context);
    assert.notEqual(answer.status, 504);
  });

  for (const url of [
    '/api/v1/pods?watch=1',
    '/api/v1/namespaces/a/pods/b/log',
    '/api/v1/namespaces/a/pods/b/exec',
    '/debug/pprof/profile',
  ]) {
    it(`does not bound ${url}`, async () => {
      const { context } = requestOf('GET', url);
      const running = chain(never, 1)(context).then(() => 'ended');
      assert.equal(
        await Promise.race([running, new Promise((resolve) => setTimeout(() => resolve('open'), 30))]),
        'open',
      );
    });
  }
});
