/**
 * Concurrent writers for the crash tests: each has keys of its own and creates, updates and deletes them without end.
 */
import type { CommitResult, Store } from '../../pkg/storage/store.ts';
import { makePayload } from './crash-payload.ts';

const keysPerWriter = 5;
/** Every so many writes of a key delete it. */
const deleteEvery = 7;

/** An acknowledged write. `sequence` counts the key's writes; without `value` the key was deleted. */
export interface Acknowledgement {
  readonly key: string;
  readonly sequence: number;
  readonly revision: number;
  readonly deleted: boolean;
}

export interface WriteLoadOptions {
  readonly store: Store;
  /** Part of the keys, so that several loads do not meet. */
  readonly name: string;
  readonly writers: number;
  readonly onAcknowledged: (acknowledgement: Acknowledgement) => void;
  readonly stopped: () => boolean;
}

/** True when the key's write with this number deletes it. */
export function deletesKey(sequence: number): boolean {
  return sequence % deleteEvery === 0;
}

export async function runWriteLoad(options: WriteLoadOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.writers }, (_, writer) => runWriter(options, writer)));
}

async function runWriter({ store, name, onAcknowledged, stopped }: WriteLoadOptions, writer: number): Promise<void> {
  const revisions = new Map<string, number>();
  for (let turn = 0; !stopped(); turn++) {
    const key = `${name}/${writer}/${turn % keysPerWriter}`;
    const sequence = Math.floor(turn / keysPerWriter) + 1;
    const deleted = deletesKey(sequence);
    const value = deleted ? undefined : makePayload(key, sequence);
    let result: CommitResult;
    try {
      result = await store.commit(key, { expectRevision: revisions.get(key) ?? 0, value });
    } catch {
      // Failed, or unknown: continue from what is there.
      await store.get(key).then(
        (found) => revisions.set(key, found?.modRevision ?? 0),
        () => undefined,
      );
      continue;
    }
    if (!result.ok) {
      // A write of ours that was thought lost came through after all.
      revisions.set(key, result.current?.modRevision ?? 0);
      continue;
    }
    revisions.set(key, deleted ? 0 : result.revision);
    onAcknowledged({ key, sequence, revision: result.revision, deleted });
  }
}
