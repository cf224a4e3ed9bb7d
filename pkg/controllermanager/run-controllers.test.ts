import assert from 'node:assert/strict';
import { deployments } from '../api/apps/tokens.ts';
import { pods } from '../api/core/tokens.ts';
import type { Resource } from '../api/resource.ts';
import { FakeClock } from '../apimachinery/clock-testing.ts';
import type { ControllerContext } from '../controllers/controller-context.ts';
import type { ControllerDescriptor } from '../controllers/controller-descriptor.ts';
import type { ControllersConfig } from '../controllers/controllers-config.ts';
import { runControllers, type ManagedControllers } from './run-controllers.ts';

describe('runControllers', () => {
  let clock: FakeClock;
  let served: Set<Resource>;
  let change: () => void;
  let working: Set<string>;
  let errors: string[];
  let manager: ManagedControllers;
  beforeEach(() => {
    clock = new FakeClock();
    served = new Set([pods]);
    working = new Set();
    errors = [];
  });
  afterEach(() => manager.stop());

  const descriptor = (name: string, resources: readonly Resource[], fails = false): ControllerDescriptor => ({
    name,
    account: name,
    resources,
    create: () => ({
      name,
      start: () => (fails ? Promise.reject(new Error('broken')) : Promise.resolve(void working.add(name))),
      settled: () => Promise.resolve(),
      stop: () => Promise.resolve(void working.delete(name)),
      healthy: () => working.has(name),
    }),
  });
  const run = (...descriptors: ControllerDescriptor[]): void => runEvery(0, ...descriptors);
  const runEvery = (startIntervalMs: number, ...descriptors: ControllerDescriptor[]): void => {
    manager = runControllers({
      descriptors,
      config: {} as ControllersConfig,
      contexts: { of: () => ({}) as ControllerContext, startInformers: () => undefined },
      served: {
        isServed: (resource) => served.has(resource),
        onChange: (callback) => {
          change = callback;
          return () => (change = () => undefined);
        },
      },
      clock,
      startIntervalMs,
      onError: (error, where) => errors.push(`${where}: ${(error as Error).message}`),
    });
  };

  it('starts those whose resources are served, and the others when theirs are', async () => {
    run(descriptor('pods', [pods]), descriptor('deployments', [deployments, pods]));
    await manager.settled();
    assert.deepEqual([...working], ['pods']);
    served.add(deployments);
    change();
    await manager.settled();
    assert.deepEqual(Object.fromEntries(manager.health()), { pods: true, deployments: true });
  });

  it('goes on without one that fails', async () => {
    run(descriptor('bad', [pods], true), descriptor('good', [pods]));
    await manager.settled();
    assert.deepEqual([Object.fromEntries(manager.health()), errors], [{ bad: false, good: true }, ['bad: broken']]);
  });

  it('leaves out what the configuration turns off', async () => {
    run({ ...descriptor('off', []), create: () => undefined }, descriptor('on', []));
    await manager.settled();
    assert.deepEqual([...manager.health().keys()], ['on']);
  });

  it('starts one after the other where there is an interval', async () => {
    runEvery(1000, descriptor('one', []), descriptor('two', []), descriptor('three', []));
    await clock.advance(500);
    assert.deepEqual([...working], ['one']);
    await clock.advance(1000);
    assert.deepEqual([...working], ['one', 'two']);
    await clock.advance(1000);
    await manager.settled();
    assert.deepEqual([...working], ['one', 'two', 'three']);
  });

  it('stops all, and starts none afterwards', async () => {
    run(descriptor('pods', [pods]), descriptor('deployments', [deployments]));
    await manager.settled();
    await manager.stop();
    served.add(deployments);
    change();
    assert.deepEqual([...working], []);
  });
});
