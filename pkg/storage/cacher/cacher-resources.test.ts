import assert from 'node:assert/strict';
import type { Page, RangeOptions, Store } from '../store.ts';
import { openWatch, resource, startCacher, valueOf } from './cacher-testing.ts';

describe('a cacher whose resources change', () => {
  it('loads one more resource with what is written meanwhile, and ends no other watch', async () => {
    const test = await startCacher({}, async (store) => {
      for (let i = 0; i < 2500; i++)
        await store.commit(`more/ns/${String(i).padStart(4, '0')}`, { expectRevision: 0, value: valueOf() });
    });
    try {
      const watch = await openWatch(test.cacher, 'things');
      let adding = true;
      let written = 0;
      const writing = (async () => {
        while (adding) {
          await test.put(`more/ns/new-${written}`);
          await test.put(`things/ns/${written++}`);
        }
      })();
      await test.cacher.add(resource('more'));
      adding = false;
      await writing;
      assert.ok(written > 0);
      await test.cacher.fresh();
      const more = test.cacher.cache('more');
      assert.equal(more.size, 2500 + written);
      await watch.untilLines(written);
      assert.equal(watch.closed, false);
      await test.put('more/ns/later');
      await test.cacher.fresh();
      assert.ok(more.get('more/ns/later') !== undefined);
    } finally {
      await test.stop();
    }
  });

  it('shows changes since the load to watches from a revision of that time', async () => {
    const test = await startCacher();
    try {
      await test.put('more/ns/a');
      await test.cacher.add(resource('more'));
      const start = test.cacher.revision;
      const revision = await test.put('more/ns/b');
      await test.cacher.fresh();
      assert.deepEqual(
        test.cacher
          .cache('more')
          .eventsAfter(start, 10)
          ?.map((event) => event.revision),
        [revision],
      );
    } finally {
      await test.stop();
    }
  });

  it('applies what the feed delivers while pages are read', async () => {
    const test = await startCacher();
    try {
      await test.put('more/ns/a');
      await test.put('more/ns/b');
      const { store } = test;
      const range = store.range.bind(store);
      // Between reading the state and using it: a change, a removal and a creation.
      (store as Store).range = async (prefix: string, options?: RangeOptions): Promise<Page> => {
        const page = await range(prefix, options);
        (store as Store).range = range;
        await test.put('more/ns/a', valueOf({ changed: 'yes' }));
        await test.remove('more/ns/b');
        await test.put('more/ns/c');
        return page;
      };
      await test.cacher.add(resource('more'));
      await test.cacher.fresh();
      const more = test.cacher.cache('more');
      assert.deepEqual(
        [...more.snapshot().keys()].map((key) => [key, more.get(key)!.labels()]),
        [
          ['more/ns/a', { changed: 'yes' }],
          ['more/ns/c', {}],
        ],
      );
    } finally {
      await test.stop();
    }
  });

  it('ends the watches of a removed resource, and of no other', async () => {
    const test = await startCacher();
    try {
      const things = await openWatch(test.cacher, 'things');
      const others = await openWatch(test.cacher, 'others');
      await test.cacher.remove('things');
      assert.equal(things.closed, true);
      assert.equal(others.closed, false);
      assert.throws(() => test.cacher.cache('things'), /no cache for things/);
      await test.put('things/ns/a');
      await test.put('others/ns/a');
      await others.untilLines(1);
    } finally {
      await test.stop();
    }
  });

  it('replaces a resource in place: its watches end, its listeners go on', async () => {
    const test = await startCacher();
    try {
      await test.put('things/ns/a');
      await test.cacher.fresh();
      const seen: string[][] = [];
      test.cacher.cache('things').listen({
        reset: (objects) => seen.push([...objects].map(({ key }) => key)),
        changed: ({ key }) => seen.push([key]),
      });
      const watch = await openWatch(test.cacher, 'things');
      const before = test.cacher.cache('things');
      await test.cacher.add({ ...resource('things'), ringSize: 7 });
      const after = test.cacher.cache('things');
      assert.deepEqual([before.closed, after.closed, after.ringCapacity], [true, false, 7]);
      assert.equal(watch.closed, true);
      await test.put('things/ns/b');
      await test.cacher.fresh();
      assert.deepEqual([after.size, before.size], [2, 1]);
      assert.deepEqual(seen, [['things/ns/a'], ['things/ns/a'], ['things/ns/b']]);
    } finally {
      await test.stop();
    }
  });

  it('leaves everything unchanged when the install callback throws', async () => {
    const test = await startCacher();
    try {
      const before = test.cacher.cache('things');
      const refuse = (): never => {
        throw new Error('taken');
      };
      await assert.rejects(test.cacher.add(resource('more'), refuse), /taken/);
      await assert.rejects(test.cacher.add(resource('things'), refuse), /taken/);
      assert.throws(() => test.cacher.cache('more'));
      assert.equal(test.cacher.cache('things'), before);
      assert.equal(before.closed, false);
    } finally {
      await test.stop();
    }
  });

  it('rejects when the store cannot be read, and a retry works', async () => {
    const test = await startCacher();
    try {
      const { store } = test;
      const range = store.range.bind(store);
      (store as Store).range = () => Promise.reject(new Error('no answer'));
      await assert.rejects(test.cacher.add(resource('more')), /no answer/);
      (store as Store).range = range;
      await test.cacher.add(resource('more'));
      assert.equal(test.cacher.cache('more').size, 0);
    } finally {
      await test.stop();
    }
  });
});

describe('a cacher whose feed fails while a resource is added', () => {
  /** Runs once, while the first page of the resource is read. */
  function whileReading(store: Store, prefix: string, run: () => Promise<void>): void {
    const range = store.range.bind(store);
    let isDone = false;
    store.range = async (wanted: string, options?: RangeOptions): Promise<Page> => {
      const page = await range(wanted, options);
      if (wanted === prefix && !isDone) {
        isDone = true;
        await run();
      }
      return page;
    };
  }

  /** Lets a test end the open feed: with `error`, having lost what came before; without, as a store may at any time. */
  function endFeedsOf(store: Store): { lose(): void; end(error?: Error): void } {
    const watch = store.watch.bind(store);
    let isLosing = false;
    let failure: Error | undefined;
    let close = (): void => undefined;
    store.watch = (prefix, fromRevision) => {
      const stream = watch(prefix, fromRevision);
      close = () => stream.close();
      return {
        close: () => stream.close(),
        async *[Symbol.asyncIterator]() {
          for await (const batch of stream) if (!isLosing) yield batch;
          const error = failure;
          failure = undefined;
          isLosing = false;
          if (error !== undefined) throw error;
        },
      };
    };
    return {
      lose: () => (isLosing = true),
      end(error) {
        failure = error;
        close();
      },
    };
  }

  it('loads it again after the others, with what the feed has lost', async () => {
    let feeds!: ReturnType<typeof endFeedsOf>;
    const errors: unknown[] = [];
    const test = await startCacher({ onError: (error) => errors.push(error) }, async (store) => {
      feeds = endFeedsOf(store);
    });
    try {
      await test.put('more/ns/a');
      whileReading(test.store, 'more/', async () => {
        feeds.lose();
        await test.put('more/ns/lost');
        await test.put('things/ns/lost');
        feeds.end(new Error('compacted'));
        while (errors.length === 0) await new Promise(setImmediate);
      });
      await test.cacher.add(resource('more'));
      assert.deepEqual([...test.cacher.cache('more').snapshot().keys()], ['more/ns/a', 'more/ns/lost']);
      assert.ok(test.cacher.cache('things').get('things/ns/lost') !== undefined);
      assert.match(String(errors), /compacted/);
      await test.put('more/ns/later');
      await test.cacher.fresh();
      assert.ok(test.cacher.cache('more').get('more/ns/later') !== undefined);
    } finally {
      await test.stop();
    }
  });

  it('waits while the others are loaded again, however often it could have been read meanwhile', async () => {
    let feeds!: ReturnType<typeof endFeedsOf>;
    const test = await startCacher({}, async (store) => {
      feeds = endFeedsOf(store);
    });
    try {
      await test.put('more/ns/a');
      let reads = 0;
      const range = test.store.range.bind(test.store);
      test.store.range = async (prefix: string, options?: RangeOptions): Promise<Page> => {
        if (prefix === 'more/') reads++;
        // A store of many objects takes its time.
        else await new Promise((resolve) => setTimeout(resolve, 500));
        return range(prefix, options);
      };
      whileReading(test.store, 'more/', async () => {
        feeds.end();
        await new Promise(setImmediate);
      });
      await test.cacher.add(resource('more'));
      assert.equal(reads, 2);
      assert.deepEqual([...test.cacher.cache('more').snapshot().keys()], ['more/ns/a']);
    } finally {
      await test.stop();
    }
  });

  it('rejects when the cacher stops', async () => {
    const test = await startCacher();
    let stopping: Promise<void> | undefined;
    try {
      whileReading(test.store, 'more/', async () => {
        stopping = test.cacher.stop();
      });
      await assert.rejects(test.cacher.add(resource('more')), /the cacher is stopped/);
      assert.throws(() => test.cacher.cache('more'), /no cache for more/);
    } finally {
      await stopping;
      await test.stop();
    }
  });
});
