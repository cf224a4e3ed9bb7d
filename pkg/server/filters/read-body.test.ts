import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { BodyBudget } from '../bodies/body-budget.ts';
import { UnreadBody } from '../bodies/unread-body.ts';
import { HttpExchange } from '../request/http-exchange.ts';
import { RequestContext, type RawRequest, type RawResponse } from '../request/request-context.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { UnreadAnswers } from '../flow-control/unread-answers.ts';
import { RequestPlace } from '../request/request-place.ts';
import { readBodies } from './read-body.ts';

const BYTES_MAX = 100;
const connection = { write: () => true };

/** A request of one connection over HTTP/1.1 whose body the test sends. */
function requestOf(
  method: string,
  headers: Record<string, string>,
  { streamed = false, deadlineMs = undefined as number | undefined } = {},
): { context: RequestContext; body: PassThrough } {
  const body = new PassThrough();
  const request = Object.assign(body, { method, headers, socket: connection }) as unknown as RawRequest;
  const response = Object.assign(new EventEmitter(), {
    shouldKeepAlive: true,
    destroyed: false,
    writableEnded: false,
  }) as unknown as RawResponse;
  const unreadBody = new UnreadBody(request, response, { streamed, expectsContinue: false });
  const context = new RequestContext(
    new HttpExchange(request, response),
    parseRequestInfo(method, '/api/v1/pods', false),
    '',
    { unreadBody },
    'id',
    0,
  );
  context.deadlineMs = deadlineMs;
  return { context, body };
}

/** Records its result. */
class NotedPlace extends RequestPlace {
  private readonly again: () => string;
  private readonly seen: string[];

  constructor(context: RequestContext, again: () => string, seen: string[]) {
    super(context, new UnreadAnswers());
    this.again = again;
    this.seen = seen;
  }

  giveBack(): void {
    this.seen.push('released');
  }

  protected async take(): Promise<void> {
    this.seen.push(this.again());
  }
}

describe('readBodies', () => {
  let budget: BodyBudget;
  /** Bodies that reached the handler, each until the test ends it. */
  let handled: { body: string; end: () => void }[];

  beforeEach(() => {
    budget = new BodyBudget({ processBytes: 150, holderBytes: 150 });
    handled = [];
  });
  const filter = (context: RequestContext): Promise<void> =>
    readBodies(
      budget,
      BYTES_MAX,
    )(
      (c) =>
        new Promise((resolve) => {
          handled.push({ body: Buffer.from(c.body).toString(), end: resolve });
        }),
    )(context);
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));

  it('passes requests on with their bodies, which count until the work is done', async () => {
    const { context, body } = requestOf('POST', { 'content-length': '5' });
    const done = filter(context);
    assert.deepEqual([handled.length, budget.takenBytes], [0, 5]);
    body.end('abcde');
    await turn();
    assert.deepEqual([handled[0]!.body, budget.takenBytes], ['abcde', 5]);
    handled[0]!.end();
    await done;
    assert.equal(budget.takenBytes, 0);
  });

  it('counts a body of unknown length with the limit until it is there', async () => {
    const { context, body } = requestOf('PATCH', { 'transfer-encoding': 'chunked' });
    const done = filter(context);
    assert.equal(budget.takenBytes, BYTES_MAX);
    body.end('ab');
    await turn();
    assert.equal(budget.takenBytes, 2);
    handled[0]!.end();
    await done;
  });

  it('refuses a body that is announced to be too long, unread', async () => {
    const { context, body } = requestOf('PUT', { 'content-length': '101' });
    await assert.rejects(filter(context), { message: 'Request entity too large: limit is 100' });
    assert.deepEqual([body.readableFlowing, budget.takenBytes], [null, 0]);
  });

  it('ignores bodies of proxied requests and of reads', async () => {
    for (const [method, streamed] of [
      ['GET', false],
      ['POST', true],
    ] as const) {
      const { context, body } = requestOf(method, { 'content-length': '5' }, { streamed });
      void filter(context);
      assert.equal(body.readableFlowing, null);
    }
    assert.deepEqual([handled.length, budget.takenBytes], [2, 0]);
  });

  it('reads nothing where there is no room, until there is', async () => {
    const first = requestOf('POST', { 'content-length': '100' });
    const second = requestOf('POST', { 'content-length': '100' });
    const done = filter(first.context);
    void filter(second.context);
    first.body.end('x'.repeat(100));
    second.body.end('y'.repeat(100));
    await turn();
    assert.deepEqual([handled.length, second.body.readableFlowing], [1, null]);
    handled[0]!.end();
    await done;
    await turn();
    assert.equal(handled[1]!.body[0], 'y');
  });

  it('answers 429 where there is no room for a quarter of the remaining time', async () => {
    void filter(requestOf('POST', { 'content-length': '100' }).context);
    const late = requestOf('POST', { 'content-length': '100' }, { deadlineMs: performance.now() + 40 });
    await assert.rejects(filter(late.context), (error: { status?: object }) => {
      const { code, reason, details } = error.status as { code: number; reason: string; details: object };
      assert.deepEqual([code, reason, details], [429, 'TooManyRequests', { retryAfterSeconds: 1 }]);
      return true;
    });
    assert.deepEqual([handled.length, budget.waiting, budget.takenBytes], [0, 0, 100]);
  });

  it('drops requests that left while waiting, and releases the bytes of a body that broke off', async () => {
    const first = requestOf('POST', { 'content-length': '100' });
    const broken = filter(first.context);
    const second = requestOf('POST', { 'content-length': '100' });
    const waiting = filter(second.context);
    second.context.response.emit('close');
    await assert.rejects(waiting);
    first.body.destroy();
    await assert.rejects(broken, { message: 'the request could not be read' });
    assert.deepEqual([handled.length, budget.waiting, budget.takenBytes], [0, 0, 0]);
  });

  it('releases the seat of a slow body, and takes one again before the work', async () => {
    const { context, body } = requestOf('POST', { 'content-length': '2' });
    const seen: string[] = [];
    context.place = new NotedPlace(context, () => `again, ${handled.length} handled`, seen);
    const done = filter(context);
    body.write('a');
    while (seen.length === 0) await new Promise((resolve) => void setTimeout(resolve, 5));
    body.end('b');
    while (handled.length === 0) await turn();
    handled[0]!.end();
    await done;
    assert.deepEqual(seen, ['released', 'again, 0 handled']);
  });

  it('keeps the seat of a body that comes at once', async () => {
    const { context, body } = requestOf('POST', { 'content-length': '1' });
    const seen: string[] = [];
    context.place = new NotedPlace(context, () => 'again', seen);
    const done = filter(context);
    body.end('a');
    while (handled.length === 0) await turn();
    handled[0]!.end();
    await done;
    assert.deepEqual(seen, []);
  });

  it('does nothing for a request that was answered while its body came', async () => {
    const { context, body } = requestOf('POST', { 'content-length': '1' });
    const done = filter(context);
    context.answered = true;
    body.end('x');
    await done;
    assert.deepEqual([handled.length, budget.takenBytes], [0, 0]);
  });
});
