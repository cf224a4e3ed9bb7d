import assert from 'node:assert/strict';
import { HealthChecks } from '../server/system/health.ts';
import { StartSteps, type StartStep } from './start-steps.ts';

describe('StartSteps', () => {
  it('is not healthy before the default roles are there', async () => {
    const steps = new StartSteps({ fairly: true });
    const health = new HealthChecks(() => undefined);
    for (const check of steps.checks) health.add(check);
    const ask = (path: string, query = ''): ReturnType<HealthChecks['answer']> =>
      health.answer(path, new URLSearchParams(query));
    const others = steps.checks
      .map(({ name }) => name as StartStep)
      .filter((step) => step !== 'poststarthook/rbac/bootstrap-roles');
    steps.finish(...others);
    assert.deepEqual(await ask('/readyz/poststarthook/rbac/bootstrap-roles'), {
      status: 500,
      text: 'internal server error: not finished\n',
    });
    for (const path of ['/healthz', '/livez', '/readyz']) assert.equal((await ask(path))?.status, 500, path);
    steps.finish('poststarthook/rbac/bootstrap-roles');
    assert.equal(
      (await ask('/readyz', 'verbose'))?.text,
      [...steps.checks.map(({ name }) => `[+]${name} ok`), 'readyz check passed', ''].join('\n'),
    );
  });
});
