import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { testEvent } from '../audit/audit-testing.ts';
import { serializeBatch, type EventBatch } from '../audit/events/serialize-batch.ts';
import { AuditPool } from './audit-pool.ts';

describe('AuditPool', () => {
  const pool = new AuditPool(fileURLToPath(new URL('worker.ts', import.meta.url)));
  after(() => pool.close());

  it('makes the same bytes on a thread as here', async () => {
    const received = testEvent({}, { requestObject: '{"a":"ä"}', annotations: new Map([['__proto__', 'x']]) });
    const events = [
      received,
      { ...received, stage: 'ResponseComplete' as const },
      testEvent({ requestUri: `/${'u'.repeat(500)}` }),
    ];
    for (const kind of ['lines', 'list'] as const) {
      const batch: EventBatch = {
        events,
        format: { kind, version: 'audit.k8s.io/v1' },
        partBytesMax: 600,
        truncate: { batchBytesMax: 600, eventBytesMax: 900 },
      };
      const [there, here] = [await pool.serialize(batch), serializeBatch(batch)];
      assert.deepEqual(
        there.parts.map(({ bytes, events: count }) => [Buffer.from(bytes).toString(), count]),
        here.parts.map(({ bytes, events: count }) => [Buffer.from(bytes).toString(), count]),
      );
      assert.equal(there.dropped, here.dropped);
      assert.deepEqual([here.parts.length, here.dropped], [2, 1]);
    }
  });
});
