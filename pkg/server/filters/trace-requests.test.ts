import assert from 'node:assert/strict';
import { trace } from '@opentelemetry/api';
import { attributesOf, TestCollector } from '../../telemetry/collector-testing.ts';
import { startTracing } from '../../telemetry/tracing.ts';
import { HttpExchange } from '../request/http-exchange.ts';
import { RequestContext, type Handler, type RawRequest, type RawResponse } from '../request/request-context.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { traceRequests } from './trace-requests.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';

function contextOf(method: string, path: string, headers: Record<string, string> = {}, watch = false): RequestContext {
  return new RequestContext(
    new HttpExchange({ method, headers } as unknown as RawRequest, {} as RawResponse),
    parseRequestInfo(method, path, watch),
    'token=hush',
    {},
    '11-22',
    0,
  );
}

function answer(status: number): Handler {
  return async (context) => {
    await new Promise(setImmediate);
    context.status = status;
    context.responseBytes = 5;
  };
}

describe('traceRequests', () => {
  let collector: TestCollector;
  let url: string;

  /** Runs requests with tracing on and returns the spans that arrived. */
  async function traced(run: () => Promise<unknown>): Promise<TestCollector['spans']> {
    const tracing = await startTracing({ endpoint: url, serviceName: 's' });
    try {
      await run();
    } finally {
      await tracing.stop();
    }
    return collector.spans;
  }

  beforeEach(async () => {
    collector = new TestCollector();
    url = await collector.start();
  });
  afterEach(() => collector.stop());

  it('makes a span per request, named by verb and resource', async () => {
    const [span, ...more] = await traced(() =>
      traceRequests()(answer(200))(contextOf('GET', '/api/v1/namespaces/a/pods/b')),
    );
    assert.deepEqual(more, []);
    assert.deepEqual([span!.name, span!.kind, span!.parentSpanId], ['get pods', 2, undefined]);
    assert.deepEqual(attributesOf(span!), {
      'http.request.method': 'GET',
      'url.path': '/api/v1/namespaces/a/pods/b',
      'http.response.status_code': 200,
      'http.response.body.size': 5,
      'audit-id': '11-22',
    });
  });

  it('continues the trace of the caller', async () => {
    const [span] = await traced(() =>
      traceRequests()(answer(200))(contextOf('GET', '/version', { traceparent: `00-${traceId}-${parentId}-01` })),
    );
    assert.deepEqual([span!.name, span!.traceId, span!.parentSpanId], ['GET', traceId, parentId]);
  });

  it('begins a trace of its own when the header is broken', async () => {
    const spans = await traced(async () => {
      for (const traceparent of [
        '',
        'x',
        `00-${'0'.repeat(32)}-${parentId}-01`,
        `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
        'a'.repeat(10_000),
      ]) {
        await traceRequests()(answer(200))(contextOf('GET', '/version', { traceparent }));
      }
    });
    assert.equal(spans.length, 5);
    assert.ok(spans.every((s) => s.parentSpanId === undefined && s.traceId !== traceId));
  });

  it('makes no span where the caller decided against it', async () => {
    assert.deepEqual(
      await traced(() =>
        traceRequests()(answer(200))(contextOf('GET', '/version', { traceparent: `00-${traceId}-${parentId}-00` })),
      ),
      [],
    );
  });

  it('is the parent of what the handler does', async () => {
    const spans = await traced(() =>
      traceRequests()(async (context) => {
        await new Promise(setImmediate);
        trace.getTracer('t').startSpan('inner').end();
        context.status = 200;
      })(contextOf('GET', '/version')),
    );
    const [inner, outer] = spans;
    assert.deepEqual([inner!.name, inner!.parentSpanId, inner!.traceId], ['inner', outer!.spanId, outer!.traceId]);
  });

  it('marks failures of the server, and ends the span when the handler throws', async () => {
    const spans = await traced(async () => {
      await traceRequests()(answer(503))(contextOf('GET', '/a'));
      await traceRequests()(answer(404))(contextOf('GET', '/b'));
      await assert.rejects(traceRequests()(() => Promise.reject(new Error('gone')))(contextOf('GET', '/c')), /gone/);
    });
    assert.deepEqual(
      spans.map((s) => [attributesOf(s)['url.path'], s.status.code ?? 0]),
      [
        ['/a', 2],
        ['/b', 0],
        ['/c', 0],
      ],
    );
  });

  it('makes none for watches', async () => {
    assert.deepEqual(await traced(() => traceRequests()(answer(200))(contextOf('GET', '/api/v1/pods', {}, true))), []);
  });

  it('passes requests on while tracing is off', async () => {
    const context = contextOf('GET', '/version', { traceparent: `00-${traceId}-${parentId}-01` });
    await traceRequests()(answer(204))(context);
    assert.equal(context.status, 204);
    assert.deepEqual(collector.spans, []);
  });
});
