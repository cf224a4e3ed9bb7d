/** What the cases of the store contract share. */
import assert from 'node:assert/strict';
import type { CommitResult, KeyValue, Store } from '../store.ts';

/** The store of the case that runs, and short forms of its writes; these fail the test on a conflict. */
export interface ContractStore {
  readonly open: () => Store;
  readonly put: (key: string, value: string, expectRevision?: number) => Promise<number>;
  readonly remove: (key: string, expectRevision: number) => Promise<number>;
}

export const bytes = (value: string) => Buffer.from(value);
export const text = (value: Uint8Array | undefined) =>
  value === undefined ? undefined : Buffer.from(value).toString();
export const shown = (item: KeyValue | undefined) =>
  item && [item.key, text(item.value), item.createRevision, item.modRevision];

/** The commit's revision; fails the test on a conflict. */
export async function committed(result: Promise<CommitResult>): Promise<number> {
  const outcome = await result;
  assert.ok(outcome.ok, 'the commit conflicted');
  return outcome.revision;
}
