import assert from 'node:assert/strict';
import { FakeClock, settle } from '../../apimachinery/clock-testing.ts';
import { turnsDuring } from '../../apimachinery/turns-testing.ts';
import type { EventHandler } from './event-handler.ts';
import { HandlerView } from './handler-view-testing.ts';
import { configMap, configMapToken, type ConfigMapObject } from './informer-contract.ts';
import { InformerFactory } from './informer-factory.ts';
import { HeldObject } from './object-handle.ts';
import type { ObjectSink, ObjectSource } from './object-source.ts';
import { SharedInformer, type InformerOptions } from './shared-informer.ts';

/** A source that the test feeds. */
class FedSource implements ObjectSource<ConfigMapObject> {
  readonly lastSyncResourceVersion = '';
  sink!: ObjectSink<ConfigMapObject>;
  private revision = 0;

  run(sink: ObjectSink<ConfigMapObject>, signal: AbortSignal): Promise<void> {
    this.sink = sink;
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  }

  object(name: string, uid = `uid of ${name}`): HeldObject<ConfigMapObject> {
    const object = configMap('a', name, '');
    Object.assign(object.metadata, { uid, resourceVersion: String(++this.revision) });
    return new HeldObject(object);
  }
}

describe('SharedInformer', () => {
  let source: FedSource;
  let clock: FakeClock;
  let problems: Error[];
  let informer: SharedInformer<ConfigMapObject>;

  beforeEach(() => begin());
  afterEach(async () => {
    await informer.stop();
    assert.equal(clock.pending, 0);
  });

  function begin(options: Partial<InformerOptions> = {}): void {
    source = new FedSource();
    clock = new FakeClock();
    problems = [];
    informer = new SharedInformer(source, { report: (error) => problems.push(error as Error), clock, ...options });
    informer.start();
  }

  it('reports a handler that throws, without effect on others', async () => {
    let calls = 0;
    const fail = (): never => {
      calls++;
      throw new Error('broken handler');
    };
    const broken = informer.addHandler({ onAdd: fail, onUpdate: fail, onDelete: fail });
    const view = new HandlerView<ConfigMapObject>();
    const viewed = informer.addHandler(view);
    const settled = (): Promise<unknown> => Promise.all([broken.settled(), viewed.settled()]);
    await source.sink.replace([source.object('one')]);
    assert.equal(await broken.whenSynced(), true);
    await settled();
    source.sink.put(source.object('one'));
    await settled();
    source.sink.remove(source.object('one'));
    await settled();
    assert.equal(calls, 3);
    assert.deepEqual(problems.map(String), Array(3).fill('Error: broken handler'));
    assert.deepEqual(view.calls, ['initial a/one', 'update a/one', 'delete a/one']);
  });

  it('does not hold up others for a slow handler', async () => {
    const order: string[] = [];
    const slow: EventHandler<ConfigMapObject> = {
      onAdd: () => {
        for (const endMs = performance.now() + 10; performance.now() < endMs;);
        order.push('slow');
      },
    };
    informer.addHandler(slow);
    const fast = informer.addHandler({ onAdd: () => order.push('fast') });
    await source.sink.replace(Array.from({ length: 20 }, (_, i) => source.object(`o-${i}`)));
    await fast.whenSynced();
    assert.equal(order.filter((who) => who === 'fast').length, 20);
    assert.ok(order.filter((who) => who === 'slow').length < 20, 'the fast one has everything before the slow one has');
  });

  it('keeps no more waiting for a handler than there are objects', async () => {
    const view = new HandlerView<ConfigMapObject>();
    const registration = informer.addHandler(view);
    await source.sink.replace([]);
    await registration.whenSynced();
    // All in one turn, in which no handler is called.
    for (let round = 0; round < 10_000; round++) {
      source.sink.put(source.object('churned', `uid ${round}`));
      source.sink.remove(source.object('churned', `uid ${round}`));
      source.sink.put(source.object('updated'));
    }
    await registration.settled();
    assert.deepEqual(view.calls, ['add a/updated']);
    assert.equal(view.objects.get('a/updated'), informer.lister.getByKey('a/updated'));
  });

  it('makes a deletion and an addition of another object under the name, also where they wait together', async () => {
    const view = new HandlerView<ConfigMapObject>();
    const registration = informer.addHandler(view);
    await source.sink.replace([source.object('one', 'first')]);
    await registration.whenSynced();
    source.sink.put(source.object('one', 'first'));
    source.sink.remove(source.object('one', 'first'));
    source.sink.put(source.object('one', 'second'));
    source.sink.put(source.object('one', 'second'));
    await registration.settled();
    await source.sink.replace([source.object('one', 'third')]);
    await registration.settled();
    view.assertConsistent();
    assert.deepEqual(view.calls, ['initial a/one', 'delete a/one', 'add a/one', 'delete a/one', 'add a/one']);
    assert.deepEqual(
      view.deleted.map(({ metadata }) => metadata.uid),
      ['first', 'second'],
    );
  });

  it('resyncs a handler at its period, and those without one never', async () => {
    const resynced = new HandlerView<ConfigMapObject>();
    const other = new HandlerView<ConfigMapObject>();
    const registration = informer.addHandler(resynced, { resyncPeriodMs: 1000 });
    informer.addHandler(other);
    await source.sink.replace([source.object('one'), source.object('two')]);
    await registration.whenSynced();
    await clock.advance(2000);
    await registration.settled();
    const initial = ['initial a/one', 'initial a/two'];
    const resync = ['resync a/one', 'resync a/two'];
    assert.deepEqual(resynced.calls, [...initial, ...resync, ...resync]);
    assert.deepEqual(other.calls, initial);
    registration.remove();
    await clock.advance(2000);
    assert.equal(resynced.calls.length, 6);
    resynced.assertConsistent();
  });

  it('yields while it takes and delivers thousands of objects', async () => {
    const view = new HandlerView<ConfigMapObject>();
    const registration = informer.addHandler(view);
    const turns = await turnsDuring(async () => {
      await source.sink.replace(Array.from({ length: 50_000 }, (_, i) => source.object(`o-${i}`)));
      await registration.whenSynced();
    });
    assert.ok(turns > 4, `${turns} turns`);
    assert.equal(view.objects.size, 50_000);
  });

  it('shows changes during a list as newer than it', async () => {
    const view = new HandlerView<ConfigMapObject>();
    informer.addHandler(view);
    const old = { gone: source.object('gone'), kept: source.object('kept') };
    const replacing = source.sink.replace(
      (async function* () {
        yield old.kept;
        await new Promise(setImmediate);
        source.sink.put(source.object('new'));
        source.sink.remove(source.object('gone'));
        yield old.gone;
      })(),
    );
    await replacing;
    await informer.whenSynced();
    assert.deepEqual(
      informer.lister
        .list()
        .map(({ metadata }) => metadata.name)
        .toSorted(),
      ['kept', 'new'],
    );
    // A second list ends a first one.
    let isEnded = false;
    const first = source.sink.replace(
      (async function* () {
        try {
          yield source.object('first');
          await new Promise(setImmediate);
          yield source.object('never');
        } finally {
          isEnded = true;
        }
      })(),
    );
    await source.sink.replace([source.object('second')]);
    await first;
    await settle();
    assert.equal(isEnded, true);
    assert.deepEqual([...view.objects.keys()], ['a/second']);
    view.assertConsistent();
  });

  it('reports index functions and transforms that throw', async () => {
    await informer.stop();
    source = new FedSource();
    informer = new SharedInformer(source, { report: (error) => problems.push(error as Error), clock });
    informer.addIndex('name', ({ metadata }) => {
      if (metadata.name === 'bad') throw new Error('broken index');
      return ['all'];
    });
    informer.setTransform((object) => {
      if (object.metadata.name === 'worse') throw new Error('broken transform');
      return object;
    });
    informer.start();
    await source.sink.replace(['bad', 'good', 'worse'].map((name) => source.object(name)));
    assert.equal(informer.lister.size, 3);
    assert.equal(informer.lister.listByIndex('name', 'all').length, 1);
    assert.throws(() => informer.lister.getByKey('a/worse'), /broken transform/);
    assert.ok(problems.some(({ message }) => message === 'index name of a/bad: broken index'));
    assert.ok(problems.some(({ message }) => message === 'broken transform'));
  });
});

describe('InformerFactory', () => {
  it('has one informer for each version and selection', async () => {
    const factory = new InformerFactory({ source: () => new FedSource() as never }, { report: () => undefined });
    const informer = factory.informer(configMapToken);
    assert.equal(factory.informer({ ...configMapToken }, {}), informer);
    assert.equal(factory.informer(configMapToken, { namespace: '' }), informer);
    assert.notEqual(factory.informer(configMapToken, { namespace: 'a' }), informer);
    assert.notEqual(factory.informer(configMapToken, { labelSelector: 'a' }), informer);
    assert.notEqual(factory.informer({ ...configMapToken, version: 'v2' }), informer);
    const waiting = factory.waitForSync();
    await factory.stop();
    assert.equal(await waiting, false);
    assert.throws(() => factory.informer(configMapToken, { namespace: 'b' }), /stopped/);
    assert.equal(factory.informer(configMapToken), informer);
  });
});
