import assert from 'node:assert/strict';
import { testEvent } from '../audit-testing.ts';
import type { AuditEvent } from '../event.ts';
import { EventSerializer, type SerializeElsewhere } from './event-serializer.ts';
import { serializeBatch } from './serialize-batch.ts';

const format = { kind: 'lines', version: 'audit.k8s.io/v1' } as const;
const large: readonly AuditEvent[] = [testEvent({}, { requestObject: JSON.stringify({ text: 'x'.repeat(100_000) }) })];

async function textOf(
  events: readonly AuditEvent[],
  elsewhere: SerializeElsewhere,
  report: (message: string) => void = assert.fail,
): Promise<string> {
  const { parts } = await new EventSerializer({ format, partBytesMax: 1_000_000, elsewhere, report }).serialize(events);
  return parts.map(({ bytes }) => Buffer.from(bytes).toString()).join('');
}

describe('EventSerializer', () => {
  it('has large batches serialized on a thread, and small ones here', async () => {
    let sent = 0;
    const elsewhere: SerializeElsewhere = async (batch) => {
      sent++;
      return serializeBatch(batch);
    };
    assert.match(await textOf([testEvent()], elsewhere), /^\{"kind":"Event"/);
    assert.equal(sent, 0);
    assert.match(await textOf(large, elsewhere), /"requestObject":\{"text":"xxx/);
    assert.equal(sent, 1);
  });

  it('loses nothing when the thread fails, and reports it', async () => {
    const reports: string[] = [];
    assert.match(
      await textOf(
        large,
        () => Promise.reject(new Error('the thread ended')),
        (message) => reports.push(message),
      ),
      /"requestObject":\{"text":"xxx/,
    );
    assert.deepEqual(reports, [
      'a thread failed to make text of 1 events, which the main thread makes instead: the thread ended',
    ]);
  });
});
