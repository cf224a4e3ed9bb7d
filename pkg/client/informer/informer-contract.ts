import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Clock } from '../../apimachinery/clock.ts';
import { parseLabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { resourceToken } from '../../api/resource.ts';
import type { ObjectName, Selection } from '../rest/client.ts';
import { HandlerView } from './handler-view-testing.ts';
import { InformerFactory } from './informer-factory.ts';
import { objectKey } from './object-key.ts';
import type { ObjectSources } from './object-source.ts';
import type { InformerOptions, SharedInformer } from './shared-informer.ts';

export interface ConfigMapObject extends ApiObject {
  data?: Record<string, string>;
}

export const configMapToken = resourceToken<ConfigMapObject>('v1', 'configmaps', 'ConfigMap', true);

/** A server and the sources that are tested against it. */
export interface InformerFixture {
  readonly sources: ObjectSources;
  /** What sources reported. */
  readonly reported: readonly unknown[];
  /** Creates or replaces a ConfigMap. */
  put(object: ConfigMapObject): Promise<void>;
  remove(name: Required<ObjectName>): Promise<void>;
  /** Sources lose the server while the changes happen; what they missed is still known to it. */
  interrupt(changes: () => Promise<void>): Promise<void>;
  /** As `interrupt`, and the server forgets what they missed: 410. */
  expire(changes: () => Promise<void>): Promise<void>;
  /** Throws where stopped sources left something behind. */
  assertIdle(): void;
  stop(): Promise<void>;
}

/** Time passes 200 times as fast: no test waits for a backoff. */
export const hurriedClock: Clock = {
  steadyMs: () => performance.now() * 200,
  wallMs: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs / 200);
    return () => clearTimeout(timer);
  },
};

const DEADLINE_MS = 15_000;

export async function until(condition: () => boolean, what: string): Promise<void> {
  for (const endMs = Date.now() + DEADLINE_MS; !condition(); await new Promise((resolve) => setTimeout(resolve, 2))) {
    if (Date.now() > endMs) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
  }
}

export function configMap(
  namespace: string,
  name: string,
  value: string,
  labels: Record<string, string> = {},
): ConfigMapObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, labels }, data: { value } };
}

/** `namespace/name=value` of each object, sorted. */
function contents(objects: Iterable<ConfigMapObject>): string[] {
  const text = ({ metadata, data }: ConfigMapObject): string => `${metadata.namespace}/${metadata.name}=${data?.value}`;
  return Array.from(objects, text).toSorted();
}

/**
 * What every source of informers does. `start` begins a server without ConfigMaps in the namespaces `a`, `b` and `c`.
 */
export function informerContract(start: () => Promise<InformerFixture>, { runs = 20 }: { runs?: number } = {}): void {
  let fixture: InformerFixture;
  let factory: InformerFactory;
  let problems: unknown[];

  const newFactory = (options: Partial<InformerOptions> = {}): InformerFactory =>
    new InformerFactory(fixture.sources, {
      report: (e) => problems.push(e),
      clock: hurriedClock,
      freezeObjects: true,
      ...options,
    });

  /** An informer with a view, both synced. */
  async function follow(
    selection: Selection = { namespace: 'a' },
  ): Promise<[SharedInformer<ConfigMapObject>, HandlerView<ConfigMapObject>]> {
    const informer = factory.informer(configMapToken, selection);
    const view = new HandlerView<ConfigMapObject>();
    const registration = informer.addHandler(view);
    factory.start();
    assert.equal(await factory.waitForSync(), true);
    assert.equal(await registration.whenSynced(), true);
    return [informer, view];
  }

  async function untilShows(
    informer: SharedInformer<ConfigMapObject>,
    view: HandlerView<ConfigMapObject>,
    expected: string[],
  ): Promise<void> {
    const text = expected.join();
    const shows = (): boolean =>
      contents(informer.lister.list()).join() === text && contents(view.objects.values()).join() === text;
    await until(shows, `informer and handler show ${text}`).catch((error: Error) => {
      throw new Error(
        `${error.message}; they show ${contents(informer.lister.list()).join()} and ${contents(view.objects.values()).join()}`,
      );
    });
    view.assertConsistent();
  }

  beforeEach(async () => {
    fixture = await start();
    problems = [];
    factory = newFactory();
  });
  afterEach(async () => {
    await factory.stop();
    fixture.assertIdle();
    await fixture.stop();
    assert.deepEqual(problems, []);
  });

  it('shows what is there, then every change', async () => {
    await fixture.put(configMap('a', 'one', '1'));
    await fixture.put(configMap('b', 'else', '1'));
    const [informer, view] = await follow();
    assert.deepEqual(view.calls, ['initial a/one']);
    await fixture.put(configMap('a', 'two', '1'));
    await untilShows(informer, view, ['a/one=1', 'a/two=1']);
    await fixture.put(configMap('a', 'one', '2'));
    await untilShows(informer, view, ['a/one=2', 'a/two=1']);
    await fixture.remove({ namespace: 'a', name: 'two' });
    await untilShows(informer, view, ['a/one=2']);
    assert.deepEqual(view.calls, ['initial a/one', 'add a/two', 'update a/one', 'delete a/two']);
    assert.deepEqual(contents(view.deleted), ['a/two=1']);
    assert.equal(informer.lister.get({ namespace: 'a', name: 'one' })?.kind, 'ConfigMap');
    assert.equal(informer.lister.getByKey('a/one')?.apiVersion, 'v1');
    assert.equal(informer.lister.get({ namespace: 'b', name: 'else' }), undefined);
    assert.match(informer.lastSyncResourceVersion, /^\d+$/);
  });

  it('syncs where nothing is there', async () => {
    const [informer, view] = await follow();
    assert.deepEqual(view.calls, []);
    await fixture.put(configMap('a', 'one', '1'));
    await untilShows(informer, view, ['a/one=1']);
    assert.deepEqual(view.calls, ['add a/one']);
  });

  it('goes on where it was after a lost connection', async () => {
    await fixture.put(configMap('a', 'kept', '1'));
    await fixture.put(configMap('a', 'gone', '1'));
    const [informer, view] = await follow();
    await fixture.interrupt(async () => {
      await fixture.put(configMap('a', 'kept', '2'));
      await fixture.put(configMap('a', 'new', '1'));
      await fixture.remove({ namespace: 'a', name: 'gone' });
    });
    await untilShows(informer, view, ['a/kept=2', 'a/new=1']);
  });

  it('delivers the difference after a gap, and a recreated object as another one', async () => {
    for (const name of ['changed', 'gone', 'recreated', 'same']) await fixture.put(configMap('a', name, '1'));
    const [informer, view] = await follow();
    view.calls.splice(0);
    await fixture.expire(async () => {
      await fixture.put(configMap('a', 'changed', '2'));
      await fixture.remove({ namespace: 'a', name: 'gone' });
      await fixture.remove({ namespace: 'a', name: 'recreated' });
      await fixture.put(configMap('a', 'recreated', '2'));
      await fixture.put(configMap('a', 'new', '1'));
    });
    await untilShows(informer, view, ['a/changed=2', 'a/new=1', 'a/recreated=2', 'a/same=1']);
    const expected = ['add a/new', 'add a/recreated', 'delete a/gone', 'delete a/recreated', 'update a/changed'];
    assert.deepEqual(view.calls.toSorted(), expected);
    await fixture.put(configMap('a', 'same', '2'));
    await untilShows(informer, view, ['a/changed=2', 'a/new=1', 'a/recreated=2', 'a/same=2']);
  });

  it('follows what selectors select', async () => {
    await fixture.put(configMap('a', 'in', '1', { app: 'x' }));
    await fixture.put(configMap('a', 'out', '1', { app: 'y' }));
    const [informer, view] = await follow({ namespace: 'a', labelSelector: 'app=x' });
    const [named, namedView] = await follow({ fieldSelector: 'metadata.name=out,metadata.namespace=a' });
    await untilShows(informer, view, ['a/in=1']);
    await untilShows(named, namedView, ['a/out=1']);
    await fixture.put(configMap('a', 'in', '2', { app: 'y' }));
    await untilShows(informer, view, []);
    assert.deepEqual(contents(view.deleted), ['a/in=1'], 'the last state that the selection had');
    await fixture.put(configMap('a', 'out', '2', { app: 'x' }));
    await untilShows(informer, view, ['a/out=2']);
    await untilShows(named, namedView, ['a/out=2']);
  });

  it('lists by namespace, labels and index', async () => {
    const informer = factory.informer(configMapToken, { labelSelector: 'set=1' });
    const byValue = (object: ConfigMapObject): string[] => Object.values(object.data ?? {});
    informer.addIndex('value', byValue);
    informer.addIndex('value', byValue);
    assert.throws(() => informer.addIndex('value', () => []), /another index/);
    for (const [namespace, value] of [
      ['a', 'x'],
      ['b', 'x'],
      ['c', 'y'],
    ] as const) {
      await fixture.put(configMap(namespace, 'one', value, { set: '1', of: namespace }));
    }
    const [, view] = await follow({ labelSelector: 'set=1' });
    const { lister } = informer;
    assert.equal(lister.size, 3);
    assert.deepEqual(contents(lister.list({ namespace: 'b' })), ['b/one=x']);
    assert.deepEqual(contents(lister.list({ labelSelector: parseLabelSelector('of in (a,c)') })), [
      'a/one=x',
      'c/one=y',
    ]);
    assert.deepEqual(contents(lister.listByIndex('value', 'x')), ['a/one=x', 'b/one=x']);
    await fixture.put(configMap('a', 'one', 'y', { set: '1' }));
    await fixture.remove({ namespace: 'c', name: 'one' });
    await untilShows(informer, view, ['a/one=y', 'b/one=x']);
    assert.deepEqual(contents(lister.listByIndex('value', 'y')), ['a/one=y']);
    assert.deepEqual(contents(lister.listByIndex('value', 'x')), ['b/one=x']);
    informer.addIndex('late', byValue);
    assert.deepEqual(contents(lister.listByIndex('late', 'x')), ['b/one=x']);
    assert.throws(() => lister.listByIndex('none', ''), /no index none/);
  });

  it('shows everything to a handler that comes late, and nothing to one that is removed', async () => {
    await fixture.put(configMap('a', 'one', '1'));
    const [informer, view] = await follow();
    const late = new HandlerView<ConfigMapObject>();
    const registration = informer.addHandler(late);
    assert.equal(registration.synced, false);
    assert.equal(await registration.whenSynced(), true);
    assert.deepEqual(late.calls, ['initial a/one']);
    registration.remove();
    await fixture.put(configMap('a', 'one', '2'));
    await untilShows(informer, view, ['a/one=2']);
    await registration.settled();
    assert.deepEqual(late.calls, ['initial a/one']);
  });

  it('freezes objects deeply where tests ask for it', async () => {
    await fixture.put(configMap('a', 'one', '1'));
    const [informer, view] = await follow();
    for (const object of [informer.lister.list()[0]!, view.objects.get('a/one')!]) {
      assert.throws(() => (object.data!.value = '2'), TypeError);
      assert.throws(() => (object.metadata.labels = {}), TypeError);
    }
  });

  it('keeps what a transform leaves', async () => {
    await fixture.put(configMap('a', 'one', '1'));
    const informer = factory.informer(configMapToken, { namespace: 'a' });
    informer.setTransform(({ data: _, ...rest }) => rest);
    const [, view] = await follow();
    await fixture.put(configMap('a', 'two', '1'));
    await untilShows(informer, view, ['a/one=undefined', 'a/two=undefined']);
    assert.equal(informer.lister.get({ namespace: 'a', name: 'one' }), informer.lister.getByKey('a/one'));
  });

  it('calls no handler after it is stopped', async () => {
    const [informer, view] = await follow();
    await factory.stop();
    await fixture.put(configMap('a', 'one', '1'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual([view.calls, informer.lister.size], [[], 0]);
    assert.equal(await informer.addHandler(view).whenSynced(), false);
    const unsynced = newFactory();
    const waiting = unsynced.informer(configMapToken).whenSynced();
    await unsynced.stop();
    assert.equal(await waiting, false);
  });

  it('leads every handler to the state of the server, whatever happens (random)', async function () {
    this.timeout(180_000);
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), runSteps), { numRuns: runs });
  });

  async function runSteps(steps: readonly Step[]): Promise<void> {
    const run = newFactory();
    const informer = run.informer(configMapToken, { labelSelector: 'in=1' });
    const model = new Map<string, ConfigMapObject>();
    const views: HandlerView<ConfigMapObject>[] = [];
    const apply = async (change: Step & { type: 'put' | 'remove' }): Promise<void> => {
      const key = objectKey(change.namespace, change.name);
      if (change.type === 'remove') {
        if (model.delete(key)) await fixture.remove(change);
        return;
      }
      const object = configMap(change.namespace, change.name, String(change.value), {
        in: change.value % 5 === 0 ? '0' : '1',
      });
      model.set(key, object);
      await fixture.put(object);
    };
    const applyAll = async (changes: readonly Change[]): Promise<void> => {
      for (const change of changes) await apply(change);
    };
    for (const each of steps) {
      if (each.type === 'put' || each.type === 'remove') await apply(each);
      else if (each.type === 'start') run.start();
      else if (each.type === 'handler') {
        views.push(new HandlerView());
        informer.addHandler(views.at(-1)!);
      } else await fixture[each.type](() => applyAll(each.changes));
    }
    const last = new HandlerView<ConfigMapObject>();
    views.push(last);
    informer.addHandler(last);
    run.start();
    const expected = contents([...model.values()].filter(({ metadata }) => metadata.labels?.['in'] === '1'));
    for (const view of views) await untilShows(informer, view, expected);
    await run.stop();
    for (const { metadata } of model.values())
      await fixture.remove({ namespace: metadata.namespace!, name: metadata.name! });
  }
}

type Change =
  { type: 'put'; namespace: string; name: string; value: number } | { type: 'remove'; namespace: string; name: string };
type Step =
  | Change
  | { type: 'start' }
  | { type: 'handler' }
  | { type: 'interrupt'; changes: readonly Change[] }
  | { type: 'expire'; changes: readonly Change[] };

const place = { namespace: fc.constantFrom('a', 'b'), name: fc.constantFrom('one', 'two', 'three') };
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('put' as const), ...place, value: fc.nat(1000) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('remove' as const), ...place }) },
);
const changes = fc.array(change, { maxLength: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 16, arbitrary: change },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('start' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('handler' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('interrupt' as const), changes }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('expire' as const), changes }) },
);
