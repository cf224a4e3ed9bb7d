import assert from 'node:assert/strict';
import type { AuditSink } from './audit-backend.ts';
import { CountingObserver, HeldSink, HungSink, testEvent } from './audit-testing.ts';
import { BlockingBackend } from './blocking-backend.ts';
import { EventSerializer } from './events/event-serializer.ts';
import { serializeBatch } from './events/serialize-batch.ts';

function bench(
  strict: boolean,
  inFlightMax = 10,
): { backend: BlockingBackend; sink: HeldSink; observer: CountingObserver } {
  const sink = new HeldSink();
  return { ...benchOn(sink, strict, inFlightMax), sink };
}

function benchOn(
  sink: AuditSink,
  strict: boolean,
  inFlightMax: number,
): { backend: BlockingBackend; observer: CountingObserver } {
  const observer = new CountingObserver();
  const serializer = new EventSerializer({
    format: { kind: 'lines', version: 'audit.k8s.io/v1' },
    partBytesMax: 1000,
    elsewhere: async (batch) => serializeBatch(batch),
    report: assert.fail,
  });
  return {
    backend: new BlockingBackend(
      { plugin: 'log', sink, serializer, observer, report: () => undefined },
      { strict, inFlightMax, closeMs: 20 },
    ),
    observer,
  };
}
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('BlockingBackend', () => {
  it('is done when the event is written', async () => {
    const { backend, sink } = bench(false);
    let written: boolean | undefined;
    const done = backend.process(testEvent()).then((ok) => {
      written = ok;
    });
    await settled();
    assert.deepEqual([sink.ids, written], [[['id-1']], undefined]);
    sink.open[0]!.done();
    await done;
    assert.equal(written, true);
    await backend.close();
  });

  for (const strict of [false, true]) {
    it(`${strict ? 'refuses' : 'allows'} requests whose events cannot be written${strict ? ', where it is strict' : ''}`, async () => {
      const { backend, sink, observer } = bench(strict);
      const done = backend.process(testEvent());
      await settled();
      sink.open[0]!.fail(new Error('full'));
      assert.equal(await done, !strict);
      assert.deepEqual(observer.lost, { log: 1 });
      await backend.close();
      assert.equal(await backend.process(testEvent()), !strict, 'closed');
    });
  }

  it('holds a bounded number of events, and ends in time', async () => {
    const { backend, observer } = bench(false, 2);
    const waiting = [1, 2, 3].map(() => backend.process(testEvent()));
    assert.equal(await waiting[2], true);
    assert.deepEqual(observer.lost, { log: 1 });
    await backend.close();
    assert.deepEqual(await Promise.all(waiting), [true, true, true]);
    assert.deepEqual(observer.lost, { log: 3 });
  });

  it('ends in time although its sink never does, and counts the rest', async () => {
    const { backend, observer } = benchOn(new HungSink(), true, 100);
    const waiting = Array.from({ length: 20 }, () => backend.process(testEvent()));
    await backend.close();
    assert.deepEqual([observer.lost, await Promise.all(waiting)], [{ log: 20 }, waiting.map(() => false)]);
  });
});
