import assert from 'node:assert/strict';
import { ControllersFixture } from '../controllers/controllers-testing.ts';
import { toStatusError } from '../registry/store-errors-to-status.ts';
import { StoreFullError, StoreUnavailableError } from '../storage/store-errors.ts';
import { DespiteFullStore } from './despite-full-store.ts';
import { retryStartStepsController } from './retry-start-steps.ts';

describe('DespiteFullStore', () => {
  const full = new StoreFullError('/data');
  const asStatus = toStatusError(full, { group: '', resource: 'namespaces' }, 'create');

  it('reports a step once that finds no room, and tries it until there is', async () => {
    const reports: string[] = [];
    const start = new DespiteFullStore((_, where) => reports.push(where));
    let tries = 0;
    await start.run('namespaces', async () => {
      if (++tries < 4) throw tries % 2 === 0 ? full : asStatus;
    });
    assert.deepEqual([tries, start.unfinished], [1, ['namespaces']]);
    const fixture = new ControllersFixture();
    await fixture.start(retryStartStepsController(fixture.context, start));
    await fixture.clock.advance(60_000);
    await fixture.stop();
    assert.deepEqual([tries, start.unfinished, reports, fixture.errors], [4, [], ['namespaces'], []]);
  });

  it('passes on all other failures', async () => {
    const start = new DespiteFullStore(() => assert.fail('nothing to report'));
    await assert.rejects(
      start.run('namespaces', () => Promise.reject(new StoreUnavailableError('gone'))),
      StoreUnavailableError,
    );
  });
});
