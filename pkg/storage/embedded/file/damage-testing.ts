import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { dataFileOf } from '../data-file.ts';
import { EmbeddedStore } from '../embedded-store.ts';

/** For tests: a store with something of everything, and ways to damage its file. */

export const keyCount = 400;
export const deletedCount = 40;
export const keyOf = (n: number): string => `things/${String(n).padStart(4, '0')}`;
/** Every third is too long for a page with others. */
export const valueOf = (n: number, round: number): Buffer => Buffer.alloc(n % 3 === 0 ? 5000 : 300, `${n}/${round} `);

/** Keys written three times, the first of them deleted, half of the history compacted away. */
export async function fillStore(dataDir: string): Promise<void> {
  const store = new EmbeddedStore({ dataDir, sweepIntervalMs: 3_600_000 });
  const revisions: number[] = [];
  for (let round = 0; round < 3; round++) {
    await Promise.all(
      Array.from({ length: keyCount }, async (_, n) => {
        const result = await store.commit(keyOf(n), {
          expectRevision: revisions[n] ?? 0,
          value: valueOf(n, round),
          ...(n % 50 === 0 && { ttlSeconds: 3600 }),
        });
        if (!result.ok) throw new Error('a conflict');
        revisions[n] = result.revision;
      }),
    );
  }
  await store.compact(2 * keyCount);
  await Promise.all(
    revisions.slice(0, deletedCount).map((expectRevision, n) => store.commit(keyOf(n), { expectRevision })),
  );
  await store.close();
}

/**
 * Where in the file the newest value of a key is. Changed bytes from there on damage the value, those before it its
 * record.
 */
export function offsetOfValue(dataDir: string, n: number): number {
  const at = readFileSync(dataFileOf(dataDir)).lastIndexOf(Buffer.concat([Buffer.from(keyOf(n)), valueOf(n, 2)]));
  if (at < 0) throw new Error('the value is nowhere');
  return at + keyOf(n).length;
}

export function overwrite(dataDir: string, at: number, bytes: Buffer): void {
  const file = openSync(dataFileOf(dataDir), 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

export function cut(dataDir: string, bytes: number): void {
  truncateSync(dataFileOf(dataDir), bytes);
}
