import assert from 'node:assert/strict';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import { configMaps } from '../../api/core/tokens.ts';
import { FakeClient } from '../../client/testing/fake-client-testing.ts';
import { FakeCluster } from '../../client/testing/fake-cluster-testing.ts';
import { ClusterTrust } from './cluster-trust.ts';

const metadata = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };

describe('ClusterTrust', () => {
  let clock: FakeClock;
  let client: FakeClient;
  let errors: string[];
  let trust: ClusterTrust;
  beforeEach(() => {
    clock = new FakeClock();
    client = new FakeClient(new FakeCluster(clock));
    errors = [];
    trust = new ClusterTrust({ client, clock, onError: (error) => errors.push((error as Error).message) });
  });
  const publish = (data: Record<string, string>): Promise<unknown> =>
    client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });

  it('is empty where the servers publish nothing', async () => {
    await trust.readFirst();
    assert.deepEqual(trust.current, {});
  });

  it('has what the servers publish, and what they publish later', async () => {
    await publish({ 'client-ca-file': 'one' });
    await trust.readFirst();
    assert.deepEqual(trust.current, { clientCa: 'one' });
    const stopping = new AbortController();
    const following = trust.follow(stopping.signal);
    const stored = await client.get(configMaps, metadata);
    const data = {
      'requestheader-client-ca-file': 'two',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-allowed-names': '["front"]',
    };
    await client.update(configMaps, { ...stored, data });
    await clock.advance(60_000);
    const header = { usernameHeaders: ['X-Remote-User'], groupHeaders: [], extraHeaderPrefixes: [] };
    const published = { requestHeader: { ca: 'two', ...header, allowedNames: ['front'] } };
    assert.deepEqual(trust.current, published);
    // A list that cannot be read would let every proxy in.
    const changed = await client.get(configMaps, metadata);
    await client.update(configMaps, { ...changed, data: { ...data, 'requestheader-allowed-names': '{}' } });
    await clock.advance(60_000);
    assert.deepEqual(trust.current, published);
    assert.deepEqual(errors, [`${metadata.name}: requestheader-allowed-names is no list of texts`]);
    stopping.abort();
    await following;
  });

  it('waits some seconds for a server, and gives up then', async () => {
    client.before = () => Promise.reject(new Error('away'));
    const reading = trust.readFirst().then(
      () => 'read',
      (error: Error) => error.message,
    );
    await clock.advance(20_000);
    assert.equal(await reading, 'away');
  });
});
