import assert from 'node:assert/strict';
import { FakeClock } from '../apimachinery/clock-testing.ts';
import type { ControllerContext } from './controller-context.ts';
import type { Controller } from './controller.ts';
import { startControllers, type ContextSource } from './start-controllers.ts';

const contexts: ContextSource = { of: () => ({}) as ControllerContext, startInformers: () => undefined };

const controller = (name: string, more: Partial<Controller> = {}): Controller => {
  let works = false;
  return {
    name,
    start: () => Promise.resolve(void (works = true)),
    settled: () => Promise.resolve(),
    stop: () => Promise.resolve(void (works = false)),
    healthy: () => works,
    ...more,
  };
};

describe('startControllers', () => {
  it('starts each separately: one that throws, rejects or hangs delays no other', async () => {
    const clock = new FakeClock();
    const errors: string[] = [];
    const running = startControllers(
      [
        {
          name: 'throws',
          create: () => {
            throw new Error('cannot be made');
          },
        },
        { name: 'hangs', create: () => controller('hangs', { start: () => new Promise(() => undefined) }) },
        { name: 'rejects', create: () => controller('rejects', { start: () => Promise.reject(new Error('no API')) }) },
        { name: 'works', create: () => controller('works') },
      ],
      contexts,
      { clock, onError: (error, where) => errors.push(`${where}: ${(error as Error).message}`) },
    );
    await clock.advance(100);
    assert.deepEqual(Object.fromEntries(running.health()), {
      throws: false,
      hangs: false,
      rejects: false,
      works: true,
    });
    assert.deepEqual(errors, ['throws: cannot be made', 'rejects: no API']);
    await running.stop();
    assert.deepEqual([running.health().get('works'), clock.pending], [false, 0]);
  });

  it('tries one again that failed, each time after twice as long, until it works', async () => {
    const clock = new FakeClock();
    const times: number[] = [];
    const flaky = controller('flaky');
    const running = startControllers(
      [
        {
          name: 'flaky',
          create: () => {
            times.push(clock.steadyMs());
            if (times.length < 4) throw new Error('not there yet');
            return flaky;
          },
        },
      ],
      contexts,
      { clock, onError: () => undefined },
    );
    await clock.advance(60_000);
    assert.deepEqual([times, running.health().get('flaky')], [[0, 1000, 3000, 7000], true]);
    await running.stop();
  });

  it('stops all though one cannot be stopped', async () => {
    const clock = new FakeClock();
    const errors: string[] = [];
    const good = controller('good');
    const running = startControllers(
      [
        { name: 'bad', create: () => controller('bad', { stop: () => Promise.reject(new Error('stuck')) }) },
        { name: 'good', create: () => good },
      ],
      contexts,
      { clock, onError: (error, where) => errors.push(`${where}: ${(error as Error).message}`) },
    );
    await clock.advance(0);
    await running.stop();
    assert.deepEqual([good.healthy(), errors], [false, ['bad: stuck']]);
  });
});
