import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { toStatusError } from '../registry/store-errors-to-status.ts';
import { StoreFullError, StoreUnavailableError } from '../storage/store-errors.ts';
import { DespiteFullStore } from './despite-full-store.ts';

describe('DespiteFullStore', () => {
  const full = new StoreFullError('/data');
  const asStatus = toStatusError(full, { group: '', resource: 'namespaces' }, 'create');

  it('reports a step once that finds no room, and tries it until there is', async () => {
    const reports: string[] = [];
    const start = new DespiteFullStore((_, where) => reports.push(where), 5);
    let tries = 0;
    await start.run('namespaces', async () => {
      if (++tries < 4) throw tries % 2 === 0 ? full : asStatus;
    });
    assert.equal(tries, 1);
    for (let waitedMs = 0; tries < 4 && waitedMs < 5000; waitedMs += 5) await sleep(5);
    await sleep(50);
    await start.stop();
    assert.deepEqual([tries, reports], [4, ['namespaces']]);
  });

  it('passes on all other failures', async () => {
    const start = new DespiteFullStore(() => assert.fail('nothing to report'));
    await assert.rejects(
      start.run('namespaces', () => Promise.reject(new StoreUnavailableError('gone'))),
      StoreUnavailableError,
    );
    await start.stop();
  });
});
