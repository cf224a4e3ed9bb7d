import assert from 'node:assert/strict';
import { configMaps } from '../api/core/tokens.ts';
import { FakeClock } from '../apimachinery/clock-testing.ts';
import { FakeClient } from '../client/testing/fake-client-testing.ts';
import { FakeCluster } from '../client/testing/fake-cluster-testing.ts';
import { clientContexts } from './controller-contexts.ts';

describe('the contexts of a process of its own', () => {
  it('begin with the newest state, whatever an old one a server would show', async () => {
    const clock = new FakeClock();
    const cluster = new FakeCluster(clock);
    const client = new FakeClient(cluster);
    const contexts = clientContexts(client, { clock, onError: (error) => assert.fail(String(error)) });
    try {
      await client.create(configMaps, { metadata: { namespace: 'ns', name: 'of-another-leader' } });
      cluster.lag = 1;
      // No event comes after the list.
      client.before = ({ verb }, signal) =>
        verb === 'watch' ? new Promise((_, fail) => signal!.addEventListener('abort', fail)) : undefined;
      const informer = contexts.of('some-controller').informers.informer(configMaps);
      const place = informer.addHandler({});
      contexts.startInformers();
      await place.whenSynced();
      assert.deepEqual(
        informer.lister.list().map(({ metadata }) => metadata.name),
        ['of-another-leader'],
      );
    } finally {
      await contexts.stop();
    }
  });
});
