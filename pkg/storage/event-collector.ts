/** Reads watches in tests. */
import assert from 'node:assert/strict';
import type { EventStream, StoreEvent } from './store.ts';

/**
 * The next `count` changes of a stream, one line each, then closes it. Asserts that revisions rise and that no batch
 * claims too little.
 */
export async function nextChanges(stream: EventStream, count: number): Promise<string[]> {
  const lines: string[] = [];
  let last = 0;
  for await (const batch of stream) {
    for (const event of batch.events) {
      assert.ok(event.revision > last, `revision ${event.revision} came after ${last}`);
      last = event.revision;
      lines.push(describeChange(event));
    }
    assert.ok(batch.revision >= last, `a batch with revision ${batch.revision} holds revision ${last}`);
    last = batch.revision;
    if (lines.length >= count) break;
  }
  return lines;
}

export function describeChange(event: StoreEvent): string {
  const value = event.value && ` ${Buffer.from(event.value).toString()} created ${event.createRevision}`;
  const previous =
    event.previous && ` was ${Buffer.from(event.previous.value).toString()}@${event.previous.modRevision}`;
  return `${event.revision} ${event.type} ${event.key}${value ?? ''}${previous ?? ''}`;
}
