import assert from 'node:assert/strict';
import type { AuditSink } from '../audit-backend.ts';
import { CountingObserver, HeldSink, HungSink, testEvent } from '../audit-testing.ts';
import type { AuditEvent } from '../event.ts';
import { EventSerializer } from '../events/event-serializer.ts';
import { serializeBatch } from '../events/serialize-batch.ts';
import { BatchingBackend, type BatchSettings } from './batching-backend.ts';

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const event = (id: number, requestObject?: string): AuditEvent =>
  testEvent({ auditId: String(id) }, { stageMs: 0, requestObject });

interface Bench {
  readonly backend: BatchingBackend;
  readonly sink: HeldSink;
  readonly observer: CountingObserver;
  readonly reports: string[];
}

function bench(settings: Partial<BatchSettings> = {}): Bench {
  const sink = new HeldSink();
  return { ...benchOn(sink, settings), sink };
}

function benchOn(sink: AuditSink, settings: Partial<BatchSettings> = {}): Omit<Bench, 'sink'> {
  const observer = new CountingObserver();
  const reports: string[] = [];
  const elsewhere = async (batch: Parameters<typeof serializeBatch>[0]): ReturnType<EventSerializer['serialize']> =>
    serializeBatch(batch);
  const serializer = new EventSerializer({
    format: { kind: 'lines', version: 'audit.k8s.io/v1' },
    partBytesMax: Number.POSITIVE_INFINITY,
    elsewhere,
    report: assert.fail,
  });
  const backend = new BatchingBackend(
    { plugin: 'webhook', sink, serializer, observer, report: (message) => reports.push(message) },
    { bufferSize: 6, maxSize: 2, maxWaitMs: 1_000_000, inFlightMax: 1, closeMs: 20, nowMs: () => 0, ...settings },
  );
  return { backend, observer, reports };
}

describe('BatchingBackend', () => {
  it('writes when a batch is full, in order, one at a time', async () => {
    const { backend, sink } = bench();
    for (let i = 1; i <= 5; i++) assert.equal(backend.process(event(i)), undefined);
    await settled();
    assert.deepEqual(sink.ids, [['1', '2']]);
    sink.open[0]!.done();
    await settled();
    assert.deepEqual(sink.ids, [
      ['1', '2'],
      ['3', '4'],
    ]);
    sink.open[1]!.done();
    await settled();
    assert.equal(sink.ids.length, 2, 'the fifth waits for more');
    const closed = backend.close();
    await settled();
    sink.open[2]!.done();
    await closed;
    assert.deepEqual(sink.ids[2], ['5']);
  });

  it('writes a partial batch after the longest wait', async () => {
    const { backend, sink } = bench({ maxWaitMs: 1 });
    backend.process(event(1));
    while (sink.ids.length === 0) await new Promise((resolve) => void setTimeout(resolve, 1));
    assert.deepEqual(sink.ids, [['1']]);
    sink.open[0]!.done();
    await backend.close();
  });

  it('does not wait for a clock that was set back', async () => {
    const { backend, sink } = bench({ maxWaitMs: 1, nowMs: () => -3_600_000 });
    backend.process(event(1));
    while (sink.ids.length === 0) await new Promise((resolve) => void setTimeout(resolve, 1));
    sink.open[0]!.done();
    await backend.close();
  });

  it('drops and counts events without room while the sink is slow', async () => {
    const { backend, observer, reports } = bench();
    for (let i = 0; i < 100; i++) backend.process(event(i));
    assert.deepEqual(observer.lost, { buffered: 92 });
    assert.match(reports[0]!, /dropped: the buffer is full/);
    await backend.close();
    assert.deepEqual(observer.lost, { buffered: 98, webhook: 2 }, 'a close gives up in time, and counts the rest');
  });

  it('ends in time although its sink never does, and counts the rest', async () => {
    const { backend, observer, reports } = benchOn(new HungSink());
    for (let i = 0; i < 5; i++) backend.process(event(i));
    await backend.close();
    assert.deepEqual(observer.lost, { webhook: 2, buffered: 3 });
    assert.deepEqual(reports, [
      '2 audit events are lost: the server stops',
      '3 audit events are dropped: the server stops',
    ]);
  });

  it('bounds memory: objects go first', async () => {
    const { backend, observer, sink } = bench({ bufferSize: 1000, maxSize: 1000, closeMs: 10_000 });
    const object = 'x'.repeat(3 * 1024 * 1024);
    for (let i = 0; i < 40; i++) backend.process(event(i, JSON.stringify(object)));
    const closed = backend.close();
    await settled();
    sink.open[0]!.done();
    await closed;
    assert.deepEqual(observer.lost, {});
    assert.equal(sink.ids[0]!.length, 40);
    assert.ok(sink.texts[0]!.length < 34 * 1024 * 1024);
    assert.equal(sink.texts[0]!.split('"audit.k8s.io/truncated":"true"').length - 1, 30);
  });

  it('counts events that the sink refuses, and continues', async () => {
    const { backend, sink, observer, reports } = bench();
    for (let i = 1; i <= 4; i++) backend.process(event(i));
    await settled();
    sink.open[0]!.fail(new Error('no'));
    await settled();
    assert.deepEqual([sink.ids.length, observer.lost], [2, { webhook: 2 }]);
    assert.deepEqual(reports, ['2 audit events are lost: no']);
    sink.open[1]!.done();
    await backend.close();
    assert.ok(sink.hurried && sink.closed);
  });

  it('bounds the rate of batches', async () => {
    let now = 0;
    const { backend, sink } = bench({
      bufferSize: 100,
      inFlightMax: 10,
      throttle: { perSecond: 1, burst: 2 },
      nowMs: () => now,
    });
    for (let i = 1; i <= 8; i++) backend.process(event(i));
    await settled();
    assert.equal(sink.ids.length, 2);
    now = 1000;
    backend.process(event(9));
    await settled();
    assert.equal(sink.ids.length, 3);
    const closed = backend.close();
    await settled();
    for (const write of sink.open) write.done();
    await closed;
    assert.equal(sink.ids.flat().length, 9, 'nothing is lost at the end');
  });
});
