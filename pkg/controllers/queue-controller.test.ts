import assert from 'node:assert/strict';
import { configMaps } from '../api/core/tokens.ts';
import { conflict, failureStatus, StatusError } from '../apimachinery/errors/status-error.ts';
import { ControllersFixture } from './controllers-testing.ts';
import { KnownProblem, QueueController, type QueueControllerOptions } from './queue-controller.ts';

describe('QueueController', () => {
  let fixture: ControllersFixture;
  let worked: string[];
  beforeEach(() => {
    fixture = new ControllersFixture();
    worked = [];
  });
  afterEach(() => fixture.stop());
  const controller = (options: Partial<QueueControllerOptions> = {}): QueueController =>
    new QueueController(fixture.context, {
      name: 'sample',
      workers: 1,
      reconcile: (key) => void worked.push(key),
      ...options,
    });
  const create = (name: string): Promise<unknown> =>
    fixture.client.create(configMaps, { metadata: { namespace: 'ns', name } });

  it('works on what is there, on its first keys, and on what changes', async () => {
    await create('a');
    const made = controller({ firstKeys: ['first'] });
    made.follow(fixture.context.informers.informer(configMaps), ({ metadata }) => [metadata.name!]);
    await fixture.start(made);
    await made.settled();
    assert.deepEqual(worked, ['a', 'first']);
    await create('b');
    await fixture.rest();
    assert.deepEqual(worked, ['a', 'first', 'b']);
  });

  it('works once on a change, and on every key that it concerns', async () => {
    const made = controller();
    made.follow(fixture.context.informers.informer(configMaps), ({ data }) => Object.keys(data ?? {}));
    await fixture.start(made);
    const patch = (data: object): Promise<unknown> =>
      fixture.client.patch(configMaps, { namespace: 'ns', name: 'a' }, 'merge', { data });
    await fixture.client.create(configMaps, { metadata: { namespace: 'ns', name: 'a' }, data: { x: '1' } });
    await fixture.rest();
    worked.length = 0;
    await patch({ x: '2' });
    await fixture.rest();
    assert.deepEqual(worked, ['x']);
    await patch({ x: null, y: '1' });
    await fixture.rest();
    assert.deepEqual(worked, ['x', 'y', 'x']);
  });

  it('gathers changes for the configured time', async () => {
    await create('a');
    const made = controller();
    made.follow(fixture.context.informers.informer(configMaps), ({ metadata }) => [metadata.name!], { delayMs: 1000 });
    await fixture.start(made);
    await fixture.clock.advance(999);
    assert.deepEqual(worked, []);
    await fixture.clock.advance(1);
    assert.deepEqual(worked, ['a']);
  });

  it('works on a key again after the time that reconcile returns', async () => {
    await fixture.start(controller({ firstKeys: ['tick'], reconcile: (key) => (worked.push(key), 5000) }));
    await fixture.clock.advance(10_000);
    assert.deepEqual(worked, ['tick', 'tick', 'tick']);
  });

  it('reports a conflict only when it lasts, and every other failure at once', async () => {
    const failures = [
      ...Array.from({ length: 6 }, () => conflict({ group: '', resource: 'configmaps' }, 'a', 'modified')),
      new StatusError(failureStatus(500, 'InternalError', 'not now')),
    ];
    const reported: number[] = [];
    const made = controller({
      firstKeys: ['a'],
      reconcile: (key) => {
        reported.push(fixture.errors.length);
        worked.push(key);
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
      },
    });
    await fixture.start(made);
    await fixture.clock.advance(10_000);
    assert.deepEqual(reported, [0, 0, 0, 0, 0, 0, 1, 2]);
    assert.match(fixture.errors.at(-1)!, /^sample a: not now$/);
  });

  it('tries again what the object itself already reports, and does not report it', async () => {
    const failures = [new KnownProblem('of the user')];
    const made = controller({
      firstKeys: ['a'],
      reconcile: (key) => {
        worked.push(key);
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
      },
    });
    await fixture.start(made);
    await fixture.clock.advance(10_000);
    assert.deepEqual([worked, fixture.errors], [['a', 'a'], []]);
  });

  it('ends its workers before it does what is left to do at a stop', async () => {
    let open = (): void => undefined;
    const made = controller({
      firstKeys: ['a'],
      reconcile: async (key) => {
        await new Promise<void>((resolve) => (open = resolve));
        worked.push(key);
      },
      onStop: async () => void worked.push('stopped'),
    });
    await fixture.start(made);
    const stopped = made.stop();
    open();
    await stopped;
    assert.deepEqual([worked, made.healthy()], [['a', 'stopped'], false]);
  });
});
