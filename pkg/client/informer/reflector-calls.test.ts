import assert from 'node:assert/strict';
import { FakeClock, settle } from '../../apimachinery/clock-testing.ts';
import {
  forbidden,
  resourceExpired,
  resourceVersionTooLarge,
  serviceUnavailable,
} from '../../apimachinery/errors/status-error.ts';
import { ConnectionError } from '../rest/client.ts';
import { FakeClient } from '../testing/fake-client-testing.ts';
import { configMap, configMapToken, type ConfigMapObject } from './informer-contract.ts';
import type { ObjectHandle } from './object-handle.ts';
import type { ObjectSink } from './object-source.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';

/** Writes down what it is given. */
class RecordedSink implements ObjectSink<ConfigMapObject> {
  readonly calls: string[] = [];

  async replace(
    objects: Iterable<ObjectHandle<ConfigMapObject>> | AsyncIterable<ObjectHandle<ConfigMapObject>>,
  ): Promise<void> {
    const names: string[] = [];
    for await (const { name } of objects) names.push(name);
    this.calls.push(`replace ${names.join()}`);
  }

  put({ name }: ObjectHandle<ConfigMapObject>): void {
    this.calls.push(`put ${name}`);
  }

  remove({ name }: ObjectHandle<ConfigMapObject>): void {
    this.calls.push(`remove ${name}`);
  }
}

describe('Reflector', () => {
  let client: FakeClient;
  let clock: FakeClock;
  let sink: RecordedSink;
  let reported: Error[];
  let stopping: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    client = new FakeClient();
    clock = new FakeClock();
    sink = new RecordedSink();
    reported = [];
    stopping = new AbortController();
  });
  afterEach(async () => {
    stopping.abort();
    await running;
    assert.equal(client.cluster.openWatches, 0);
    assert.equal(clock.pending, 0);
  });

  function start(options: Partial<ReflectorOptions> = {}): Reflector<ConfigMapObject> {
    const report = (error: unknown): void => void reported.push(error as Error);
    const reflector = new Reflector(client, configMapToken, {}, { report, clock, random: () => 0.5, ...options });
    running = reflector.run(sink, stopping.signal);
    return reflector;
  }
  const add = (name: string): string =>
    client.cluster.put(configMapToken, configMap('a', name, '1')).metadata.resourceVersion!;
  /** `list 0`, `watch 101`, with what else was asked for. */
  const calls = (): string[] =>
    client.calls.map(({ verb, options }) => {
      const { resourceVersion = '-', limit, continue: next, sendInitialEvents, resourceVersionMatch } = options;
      const rest = { limit, next, sendInitialEvents, resourceVersionMatch };
      const set = Object.entries(rest).filter(([, value]) => value !== undefined);
      return [verb, resourceVersion, ...set.map(([key, value]) => `${key}=${value}`)].join(' ');
    });

  it('lists any state in pages, then watches from there', async () => {
    for (const name of ['one', 'three', 'two']) add(name);
    const reflector = start({ pageSize: 2 });
    await settle();
    assert.deepEqual(calls(), ['list 0 limit=2', 'list - limit=2 next=103:2', 'watch 103']);
    assert.deepEqual(sink.calls, ['replace one,three,two']);
    assert.equal(client.calls[2]!.options.allowWatchBookmarks, true);
    assert.equal(client.calls[2]!.options.timeoutSeconds, 450);
    client.cluster.remove(configMapToken, { namespace: 'a', name: 'one' });
    await settle();
    assert.deepEqual(sink.calls, ['replace one,three,two', 'remove one']);
    assert.equal(reflector.lastSyncResourceVersion, '104');
  });

  it('begins with the newest state where it is to take over from another program', async () => {
    add('one');
    client.cluster.lag = 1;
    start({ newestFirst: true });
    await settle();
    assert.deepEqual(calls(), ['list - limit=500', 'watch 101']);
    assert.deepEqual(sink.calls, ['replace one']);
  });

  it('asks for watches of five to ten minutes', async () => {
    let random = 0;
    start({ random: () => random });
    await settle();
    for (random of [0.2, 0.999]) {
      add(`after-${random}`);
      await settle();
      client.cluster.endWatches();
      await settle();
    }
    const seconds = client.calls.filter(({ verb }) => verb === 'watch').map(({ options }) => options.timeoutSeconds);
    assert.deepEqual(seconds, [300, 360, 599]);
  });

  it('goes on at the newest bookmark when the server ends a watch', async () => {
    const reflector = start();
    await settle();
    add('one');
    client.cluster.sendBookmarks();
    await settle();
    assert.equal(reflector.lastSyncResourceVersion, '101');
    client.cluster.endWatches();
    await settle();
    assert.deepEqual(calls(), ['list 0 limit=500', 'watch 100', 'watch 101']);
    assert.deepEqual(reported, []);
  });

  it('lists the newest state after a 410 of a watch', async () => {
    add('one');
    start();
    await settle();
    client.cluster.endWatches(resourceExpired('too old'));
    add('two');
    await clock.advance(1200);
    assert.deepEqual(calls(), ['list 0 limit=500', 'watch 101', 'list - limit=500', 'watch 102']);
    assert.deepEqual(sink.calls, ['replace one', 'replace one,two']);
    assert.deepEqual(reported, []);
  });

  for (const [what, error] of [
    ['a 410', resourceExpired('too old')],
    ['a revision from the future', resourceVersionTooLarge(7, 5, 1)],
  ] as const) {
    it(`lists the newest state at once after ${what} of a list`, async () => {
      client.failNext('list', error);
      start();
      await settle();
      assert.deepEqual(calls(), ['list 0 limit=500', 'list - limit=500', 'watch 100']);
      assert.deepEqual(reported, []);
    });
  }

  it('lists everything in one piece where a later page has expired', async () => {
    for (const name of ['one', 'three', 'two']) add(name);
    start({ pageSize: 2 });
    await Promise.resolve();
    await new Promise(setImmediate);
    client.failNext('list', resourceExpired('the continue token has expired'));
    await settle();
    assert.deepEqual(calls(), ['list 0 limit=2', 'list - limit=2 next=103:2', 'list -', 'watch 103']);
    assert.deepEqual(sink.calls, ['replace one,three,two']);
  });

  it('watches on from where it was after lost connections and overloads, without a list', async () => {
    start();
    await settle();
    add('one');
    await settle();
    client.failNext('watch', serviceUnavailable('starting'));
    client.cluster.breakConnections();
    await clock.advance(1200);
    await clock.advance(2400);
    assert.deepEqual(calls(), ['list 0 limit=500', 'watch 100', 'watch 101', 'watch 101']);
    assert.deepEqual(
      reported.map(({ message }) => message),
      ['follow configmaps: connection reset', 'follow configmaps: starting'],
    );
    assert.ok(reported[0]!.cause instanceof ConnectionError);
  });

  it('lists again what it had, or newer, after other refusals of a watch', async () => {
    client.failNext('watch', forbidden({ group: '', resource: 'configmaps' }, '', 'no'));
    start();
    await clock.advance(1200);
    assert.deepEqual(calls(), [
      'list 0 limit=500',
      'watch 100',
      'list 100 resourceVersionMatch=NotOlderThan',
      'watch 100',
    ]);
  });

  it('backs off from 0.8 to 30 seconds with jitter, and begins again after a good time', async () => {
    for (let failures = 0; failures < 9; failures++) client.failNext('list', new ConnectionError('refused'));
    const startsMs: number[] = [];
    const list = client.list.bind(client);
    client.list = (resource, options) => {
      startsMs.push(clock.steadyMs());
      return list(resource, options);
    };
    start({ random: () => 0.25 });
    await clock.advance(300_000);
    const waits = startsMs.slice(1).map((ms, i) => Math.round(ms - startsMs[i]!));
    assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 32_000, 37_500, 37_500, 37_500]);
    assert.equal(reported.length, 9);
    client.cluster.breakConnections();
    const watches = (): number => client.calls.filter(({ verb }) => verb === 'watch').length;
    const before = watches();
    await clock.advance(999);
    assert.equal(watches(), before);
    await clock.advance(1);
    assert.equal(watches(), before + 1);
  });

  it('waits less after a watch that lasted for a while', async () => {
    for (let failures = 0; failures < 3; failures++) client.failNext('list', new ConnectionError('refused'));
    start({ random: () => 0 });
    await clock.advance(800 + 1600 + 3200);
    assert.equal(client.cluster.openWatches, 1);
    await clock.advance(5000);
    client.cluster.breakConnections();
    await clock.advance(1399);
    assert.equal(client.cluster.openWatches, 0);
    await clock.advance(1);
    assert.equal(client.cluster.openWatches, 1);
  });

  it('takes a watch that ends at once for a failure', async () => {
    start();
    await settle();
    client.cluster.endWatches();
    await settle();
    assert.match(reported[0]!.message, /ended at once/);
    assert.equal(client.cluster.openWatches, 0);
    await clock.advance(1200);
    assert.equal(client.cluster.openWatches, 1);
  });

  it('leaves a watch that outlives its time', async () => {
    start();
    await settle();
    await clock.advance(450_000);
    assert.deepEqual(calls().length, 2);
    await clock.advance(30_000);
    assert.deepEqual(calls(), ['list 0 limit=500', 'watch 100', 'watch 100']);
    assert.equal(client.cluster.openWatches, 1);
  });

  it('ends while it waits, while it lists and while it watches', async () => {
    client.failNext('list', new ConnectionError('refused'));
    start();
    await settle();
    assert.equal(clock.pending, 1, 'it waits');
    stopping.abort();
    await running;
    stopping = new AbortController();
    start();
    stopping.abort();
    await running;
    assert.deepEqual(sink.calls, []);
    assert.equal(reported.length, 1);
  });

  describe('with streaming lists', () => {
    it('lists by the first events of the watch that it goes on with', async () => {
      add('one');
      const reflector = start({ streamingLists: true });
      await settle();
      add('two');
      await settle();
      assert.deepEqual(calls(), ['watch - sendInitialEvents=true']);
      assert.deepEqual(sink.calls, ['replace one', 'put two']);
      assert.equal(reflector.lastSyncResourceVersion, '102');
    });

    it('begins again where the initial events break off, and delivers none of them', async () => {
      add('one');
      const watch = client.watch.bind(client);
      client.watch = (resource, options) => {
        client.watch = watch;
        const events = watch(resource, options);
        return {
          async *[Symbol.asyncIterator]() {
            for await (const event of events) {
              if (event.type === 'BOOKMARK') throw new ConnectionError('broken off');
              yield event;
            }
          },
        };
      };
      start({ streamingLists: true });
      await settle();
      assert.deepEqual(sink.calls, []);
      await clock.advance(1200);
      assert.deepEqual(calls(), ['watch - sendInitialEvents=true', 'watch - sendInitialEvents=true']);
      assert.deepEqual(sink.calls, ['replace one']);
    });

    it('uses lists where the server refuses', async () => {
      client.cluster.hasStreamingLists = false;
      start({ streamingLists: true });
      await settle();
      assert.deepEqual(calls(), ['watch - sendInitialEvents=true', 'list 0 limit=500', 'watch 100']);
      assert.deepEqual(reported, []);
    });

    it('streams the newest state after a 410, no sooner than a backoff', async () => {
      start({ streamingLists: true });
      await settle();
      client.cluster.endWatches(resourceExpired('too old'));
      await clock.advance(1199);
      assert.deepEqual(calls(), ['watch - sendInitialEvents=true']);
      await clock.advance(1);
      assert.deepEqual(calls(), ['watch - sendInitialEvents=true', 'watch - sendInitialEvents=true']);
    });
  });
});
