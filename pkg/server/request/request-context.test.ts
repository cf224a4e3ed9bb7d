import assert from 'node:assert/strict';
import { HttpExchange } from './http-exchange.ts';
import { RequestContext, type RawRequest, type RawResponse } from './request-context.ts';
import { parseRequestInfo } from './request-info.ts';

describe('RequestContext', () => {
  const contextOf = (query: string | URLSearchParams): RequestContext =>
    new RequestContext(
      new HttpExchange({ method: 'GET', headers: {} } as unknown as RawRequest, {} as RawResponse),
      parseRequestInfo('GET', '/api/v1/pods', false),
      query,
      {},
      'id',
      0,
    );

  it('parses a query once, and not at all where that has been done', () => {
    const parsed = new URLSearchParams('watch=1');
    assert.equal(contextOf(parsed).query, parsed);
    const context = contextOf('limit=5');
    assert.equal(context.query, context.query);
    assert.deepEqual(
      [contextOf(parsed), context, contextOf('')].map((c) => c.hasQuery),
      [true, true, false],
    );
  });
});
