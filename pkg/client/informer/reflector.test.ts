import assert from 'node:assert/strict';
import { FakeClient } from '../testing/fake-client-testing.ts';
import { configMapToken, hurriedClock, informerContract, type InformerFixture } from './informer-contract.ts';
import { reflectorSources } from './reflector.ts';

function start(streamingLists: boolean, hasStreamingLists: boolean): Promise<InformerFixture> {
  const client = new FakeClient();
  client.cluster.hasStreamingLists = hasStreamingLists;
  const reported: unknown[] = [];
  const report = (error: unknown): void => void reported.push(error);
  const put: InformerFixture['put'] = async (object) => void client.cluster.put(configMapToken, object);
  const remove: InformerFixture['remove'] = async (name) => client.cluster.remove(configMapToken, name);
  return Promise.resolve({
    sources: reflectorSources(client, { report, clock: hurriedClock, pageSize: 2, streamingLists }),
    reported,
    put,
    remove,
    async interrupt(changes) {
      client.cluster.breakConnections();
      await changes();
    },
    async expire(changes) {
      client.cluster.breakConnections();
      await changes();
      client.cluster.compact();
    },
    assertIdle: () => assert.equal(client.cluster.openWatches, 0),
    stop: () => Promise.resolve(),
  });
}

describe('informers over a client', () => {
  informerContract(() => start(false, true), { runs: 200 });
});

describe('informers over a client, by streaming lists', () => {
  informerContract(() => start(true, true), { runs: 100 });
});

describe('informers over a client whose server has no streaming lists', () => {
  informerContract(() => start(true, false));
});
