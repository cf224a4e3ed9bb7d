import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { EmbeddedStore } from '../embedded/embedded-store.ts';
import { ByteBudget } from './byte-budget.ts';
import type { CachedObject, ObjectFormat, Representation } from './cached-object.ts';
import { Cacher, type CacherOptions } from './cacher.ts';
import type { WatchEventType } from './event-ring.ts';
import type { FrameBatch } from './frame-batch.ts';
import type { CachedResource } from './resource-cache.ts';
import type { WatchFormat, WatchSink } from './watch-group.ts';
import { WatchSession } from './watch-session.ts';

/** Objects of the tests are stored as JSON. */
export const jsonFormat: ObjectFormat = {
  decode: (value, revision) => {
    const object = JSON.parse(Buffer.from(value).toString()) as ApiObject;
    object.metadata.resourceVersion = String(revision);
    return object;
  },
  labels: (value) => (JSON.parse(Buffer.from(value).toString()) as ApiObject).metadata.labels,
  field: (object, label) =>
    label === 'spec.color' ? ((object as { spec?: { color?: string } }).spec?.color ?? '') : '',
};

export function resource(name: string, ringSize = 100): CachedResource {
  return { name, storagePath: name, namespaced: true, format: jsonFormat, ringSize };
}

export function valueOf(labels: Record<string, string> = {}, spec: object = {}): Uint8Array {
  return Buffer.from(JSON.stringify({ metadata: { labels }, spec }));
}

export interface TestCacher {
  readonly store: EmbeddedStore;
  readonly cacher: Cacher;
  put(key: string, value?: Uint8Array): Promise<number>;
  remove(key: string): Promise<number>;
  stop(): Promise<void>;
}

/** A started cacher on an embedded store in a temporary directory; `before` writes what is to be loaded. */
export async function startCacher(
  options: Partial<CacherOptions> = {},
  before?: (store: EmbeddedStore) => Promise<void>,
): Promise<TestCacher> {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-cacher-'));
  const store = new EmbeddedStore({ dataDir: dir, progressIntervalMs: 200 });
  await before?.(store);
  const cacher = new Cacher({
    store,
    resources: [resource('things'), resource('others')],
    budget: new ByteBudget(1 << 20),
    ...options,
  });
  await cacher.start();
  const put = async (key: string, value: Uint8Array = valueOf()): Promise<number> => {
    const current = await store.get(key);
    const result = await store.commit(key, { expectRevision: current?.modRevision ?? 0, value });
    if (!result.ok) throw new Error(`conflict at ${key}`);
    return result.revision;
  };
  const remove = async (key: string): Promise<number> => {
    const current = await store.get(key);
    const result = await store.commit(key, { expectRevision: current!.modRevision });
    if (!result.ok) throw new Error(`conflict at ${key}`);
    return result.revision;
  };
  const stop = async (): Promise<void> => {
    await cacher.stop();
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { store, cacher, put, remove, stop };
}

/** Frames are lines `TYPE key@revision`. */
export function lineFormat(key = 'lines'): WatchFormat & { encoded: number } {
  const representation: Representation = { key, cacheable: true, encode: (object) => Buffer.from(object.key) };
  return {
    representation,
    encoded: 0,
    frame(type: WatchEventType, object: CachedObject) {
      this.encoded++;
      return Buffer.from(`${type} ${object.key}@${object.revision}\n`);
    },
    bookmark: (revision, end) => Buffer.from(`BOOKMARK${end ? ' end' : ''} ${revision}\n`),
  };
}

/** Collects what a watcher is sent; set `buffered` to imitate a slow client. */
export class TestSink implements WatchSink {
  text = '';
  writes = 0;
  buffered = 0;
  closed = false;
  private wake: (() => void)[] = [];

  get bufferedBytes(): number {
    return this.buffered;
  }

  write(batch: FrameBatch): void {
    this.writes++;
    this.text += Buffer.from(batch.bytes).toString();
    for (const wake of this.wake.splice(0)) wake();
  }

  drained(): Promise<void> {
    this.buffered = 0;
    return Promise.resolve();
  }

  end(): void {
    this.closed = true;
    for (const wake of this.wake.splice(0)) wake();
  }

  get lines(): string[] {
    return this.text.split('\n').filter((line) => line !== '');
  }

  async untilLines(count: number, timeoutMs = 5000): Promise<string[]> {
    const deadline = Date.now() + timeoutMs;
    while (this.lines.length < count) {
      if (Date.now() > deadline) throw new Error(`only ${this.lines.length} of ${count} lines:\n${this.text}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 50);
        this.wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return this.lines;
  }
}

/** A live watch of all objects of a resource, from the cacher's present revision. */
export async function openWatch(cacher: Cacher, name: string): Promise<TestSink> {
  const sink = new TestSink();
  const cache = cacher.cache(name);
  await new WatchSession(cacher, cache, {
    selection: { scope: cache.prefix, selectorKey: '' },
    format: lineFormat(),
    start: { kind: 'after', revision: cacher.revision },
    sink,
  }).run();
  return sink;
}
