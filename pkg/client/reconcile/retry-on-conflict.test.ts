import assert from 'node:assert/strict';
import { configMaps } from '../../api/core/tokens.ts';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import { conflict, isConflict } from '../../apimachinery/errors/status-error.ts';
import { FakeClient } from '../testing/fake-client-testing.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

const name = { namespace: 'n', name: 'a' };

describe('retryOnConflict', () => {
  it('runs an update again on what others have written meanwhile', async () => {
    const client = new FakeClient();
    const other = new FakeClient(client.cluster);
    await client.create(configMaps, { metadata: name, data: {} });
    let interferences = 3;
    client.before = async ({ verb }) => {
      if (verb !== 'update' || interferences-- <= 0) return;
      await other.patch(configMaps, name, 'merge', { data: { [`other-${interferences}`]: 'kept' } });
    };
    const updated = await retryOnConflict(async () => {
      const object = await client.get(configMaps, name);
      return client.update(configMaps, { ...object, data: { ...object.data, own: 'written' } });
    });
    assert.deepEqual(updated.data, { own: 'written', 'other-2': 'kept', 'other-1': 'kept', 'other-0': 'kept' });
  });

  it('ends with the last conflict, and at once with other failures', async () => {
    const clock = new FakeClock();
    let runs = 0;
    const ended = retryOnConflict(
      () => {
        runs++;
        return Promise.reject(conflict({ group: '', resource: 'configmaps' }, 'a', `run ${runs}`));
      },
      { clock, random: () => 0.5 },
    );
    const failed = assert.rejects(ended, (error: Error) => isConflict(error) && error.message.includes('run 5'));
    await clock.advance(60);
    await failed;
    assert.equal(runs, 5);
    await assert.rejects(
      retryOnConflict(() => (runs++, Promise.reject(new Error('away')))),
      /away/,
    );
    assert.equal(runs, 6);
  });

  it('ends by its signal', async () => {
    const reason = new Error('enough');
    const stopping = new AbortController();
    const update = (): Promise<never> => {
      stopping.abort(reason);
      return Promise.reject(conflict({ group: '', resource: 'configmaps' }, 'a', 'again'));
    };
    await assert.rejects(retryOnConflict(update, { signal: stopping.signal }), reason);
  });
});
