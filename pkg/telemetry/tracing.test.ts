import assert from 'node:assert/strict';
import { trace } from '@opentelemetry/api';
import { TestCollector } from './collector-testing.ts';
import { startTracing } from './tracing.ts';

describe('startTracing', () => {
  let collector: TestCollector;
  let url: string;

  beforeEach(async () => {
    collector = new TestCollector();
    url = await collector.start();
  });
  afterEach(() => collector.stop());

  it('delivers spans to the collector, at the standard path, under the service name', async () => {
    const tracing = await startTracing({ endpoint: url, serviceName: 'binnacle-test' });
    trace.getTracer('t').startSpan('work').end();
    await tracing.stop();
    assert.deepEqual(
      collector.spans.map((s) => s.name),
      ['work'],
    );
    assert.deepEqual(collector.paths, ['/v1/traces']);
    assert.deepEqual(collector.services, ['binnacle-test']);
  });

  it('keeps a given path', async () => {
    const tracing = await startTracing({ endpoint: `${url}/otlp/in`, serviceName: 's' });
    trace.getTracer('t').startSpan('work').end();
    await tracing.stop();
    assert.deepEqual(collector.paths, ['/otlp/in']);
  });

  it('is off again after stop', async () => {
    const tracing = await startTracing({ endpoint: url, serviceName: 's' });
    await tracing.stop();
    const span = trace.getTracer('t').startSpan('late');
    assert.equal(span.isRecording(), false);
    span.end();
    assert.deepEqual(collector.spans, []);
  });

  it('cuts long attributes', async () => {
    const tracing = await startTracing({ endpoint: url, serviceName: 's' });
    trace
      .getTracer('t')
      .startSpan('work', { attributes: { long: 'x'.repeat(100_000) } })
      .end();
    await tracing.stop();
    assert.equal(collector.spans[0]!.attributes[0]!.value.stringValue!.length, 1024);
  });

  it('reports when the collector refuses, continues and stops all the same', async () => {
    const warnings: string[] = [];
    collector.status = 400;
    const tracing = await startTracing({ endpoint: url, serviceName: 's', onWarning: (w) => warnings.push(w) });
    // A full batch is sent at once.
    for (let i = 0; i < 512; i++) trace.getTracer('t').startSpan('early').end();
    while (warnings.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    trace.getTracer('t').startSpan('last').end();
    await tracing.stop();
    assert.deepEqual(warnings, ['tracing: Bad Request', 'the last spans were not delivered: Bad Request']);
    assert.equal(collector.spans.length, 513);
  });

  it('refuses an endpoint that is no URL', async () => {
    for (const endpoint of ['localhost:4318', 'ftp://x/', 'collector', ''])
      await assert.rejects(startTracing({ endpoint, serviceName: 's' }), /is no collector/);
  });
});
