/**
 * Reads a key range in pages at one revision. Pages have a target size in bytes, since values may be anything from
 * nothing to a megabyte.
 */
import type { EtcdKeyValue, RangeAnswer, RangeCall } from './transport.ts';

const firstPageKeys = 500;
const pageKeysMin = 16;
const pageKeysMax = 1000;
const pageBytes = 2 * 1024 * 1024;

export interface PagedRange {
  readonly key: Uint8Array;
  readonly end: Uint8Array;
  readonly limit: number;
  readonly revision: number | undefined;
}

export async function readPages(
  range: PagedRange,
  read: (call: RangeCall) => Promise<RangeAnswer>,
): Promise<{ items: EtcdKeyValue[]; revision: number; more: boolean }> {
  const items: EtcdKeyValue[] = [];
  let { key, revision } = range;
  let pageKeys = firstPageKeys;
  for (;;) {
    const limit = Math.min(pageKeys, range.limit - items.length);
    const answer = await read({ key, end: range.end, limit, revision });
    revision ||= answer.revision;
    for (const item of answer.items) items.push(item);
    const last = answer.items.at(-1);
    if (!answer.more || last === undefined || items.length >= range.limit)
      return { items, revision, more: answer.more };
    key = Buffer.concat([last.key, Buffer.from([0])]);
    const bytes = answer.items.reduce((sum, item) => sum + item.value.length, 1);
    pageKeys = Math.max(pageKeysMin, Math.min(pageKeysMax, Math.round((limit * pageBytes) / bytes)));
  }
}
