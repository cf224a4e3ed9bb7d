import assert from 'node:assert/strict';
import { CompactedError } from '../../pkg/storage/store-errors.ts';
import type { Store, StoreEvent } from '../../pkg/storage/store.ts';
import { readPayload } from './crash-payload.ts';
import { deletesKey } from './write-load.ts';
import type { Acknowledgement } from './write-load.ts';

/**
 * Asserts that no acknowledged write is missing, that every value is whole, and that the history ends in what the store
 * shows. Returns the number of keys.
 */
export async function verifyStore(store: Store, acknowledged: readonly Acknowledgement[]): Promise<number> {
  const page = await store.range('');
  const current = new Map(page.items.map((item) => [item.key, item]));
  for (const item of page.items) readPayload(item.key, item.value);
  assert.equal(await store.count(''), current.size);

  const { from, events } = await readHistory(store, page.revision);
  const byRevision = new Map(events.map((event) => [event.revision, event]));
  const lastChange = new Map<string, StoreEvent>();
  for (const event of events) {
    if (event.value !== undefined) readPayload(event.key, event.value);
    assert.equal(
      event.previous?.modRevision,
      previousRevision(event, lastChange.get(event.key), from),
      `history of ${event.key}`,
    );
    lastChange.set(event.key, event);
  }
  for (const [key, event] of lastChange) {
    assert.equal(
      current.get(key)?.modRevision,
      event.type === 'put' ? event.revision : undefined,
      `${key} is not what its last change says`,
    );
  }

  const newest = new Map<string, Acknowledgement>();
  for (const write of acknowledged) {
    if ((newest.get(write.key)?.revision ?? 0) < write.revision) newest.set(write.key, write);
    if (write.revision <= from) continue;
    const event = byRevision.get(write.revision);
    assert.ok(event, `the acknowledged write of ${write.key} at revision ${write.revision} is missing`);
    assert.deepEqual([event.key, event.type], [write.key, write.deleted ? 'delete' : 'put']);
    if (event.value !== undefined) assert.equal(readPayload(write.key, event.value), write.sequence);
  }
  for (const write of newest.values()) {
    if ((lastChange.get(write.key)?.revision ?? 0) > write.revision) continue;
    const found = current.get(write.key);
    if (write.revision > from) {
      assert.equal(
        found?.modRevision,
        write.deleted ? undefined : write.revision,
        `${write.key} lost its acknowledged state`,
      );
    } else if (found === undefined) {
      // The key's next write may have followed, killed before its acknowledgement and compacted since; no other may.
      assert.ok(write.deleted || deletesKey(write.sequence + 1), `${write.key} is gone`);
    } else
      assert.ok(
        [0, 1].includes(readPayload(write.key, found.value) - write.sequence),
        `${write.key} is not what was written`,
      );
  }
  return current.size;
}

/**
 * What the event has to name as its predecessor: the last change seen, or whatever there was before the history begins.
 */
function previousRevision(event: StoreEvent, before: StoreEvent | undefined, from: number): number | undefined {
  if (before !== undefined) return before.type === 'put' ? before.revision : undefined;
  const named = event.previous?.modRevision;
  if (named !== undefined) assert.ok(named <= from, `${event.key} had a change between that is not in the history`);
  return named;
}

/** All changes up to `revision` that the store still has, which begin after `from`. */
async function readHistory(store: Store, revision: number): Promise<{ from: number; events: StoreEvent[] }> {
  for (let from = 1; ;) {
    const events: StoreEvent[] = [];
    const stream = store.watch('', from);
    try {
      if (revision <= from) return { from, events };
      for await (const batch of stream) {
        for (const event of batch.events) events.push(event);
        if (batch.revision >= revision) return { from, events };
      }
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      from = error.compactRevision;
    } finally {
      stream.close();
    }
  }
}
