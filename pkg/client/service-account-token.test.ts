import assert from 'node:assert/strict';
import { configMaps, serviceAccounts } from '../api/core/tokens.ts';
import { FakeClock } from '../apimachinery/clock-testing.ts';
import { isNotFound } from '../apimachinery/errors/status-error.ts';
import { answerJson, startHttpsService } from '../net/https-service-testing.ts';
import { RestClient } from './rest/rest-client.ts';
import { ServiceAccountToken } from './service-account-token.ts';
import { FakeClient } from './testing/fake-client-testing.ts';

const account = { namespace: 'kube-system', name: 'deployment-controller' };
const HOUR_MS = 3_600_000;

describe('ServiceAccountToken', () => {
  let client: FakeClient;
  let clock: FakeClock;
  beforeEach(async () => {
    client = new FakeClient();
    clock = new FakeClock();
    client.cluster.put(serviceAccounts, { metadata: account });
  });
  const asked = (): number => client.calls.filter(({ subresource }) => subresource === 'token').length;

  it('is asked for once, and again before it ends', async () => {
    const token = new ServiceAccountToken(client, account, { clock });
    const [first, second] = await Promise.all([token.current(), token.current()]);
    assert.deepEqual([first === second, asked()], [true, 1]);
    await clock.advance(HOUR_MS * 0.79);
    assert.equal(await token.current(), first);
    await clock.advance(HOUR_MS * 0.02);
    assert.notEqual(await token.current(), first);
    token.expire();
    await token.current();
    assert.equal(asked(), 3);
  });

  it('has the lifetime that the server grants', async () => {
    client.subresources.set('serviceaccounts/token', (_verbs, _resource, _name, body) => ({
      ...(body as object),
      spec: { audiences: ['a'], expirationSeconds: 600 },
      status: { token: `t${asked()}`, expirationTimestamp: '2026-01-01T00:00:00Z' },
    }));
    const token = new ServiceAccountToken(client, account, { clock, audiences: ['a'], expirationSeconds: 7200 });
    assert.equal(await token.current(), 't1');
    const { spec } = client.writes[0]!.body as { spec: object };
    assert.deepEqual(spec, { audiences: ['a'], expirationSeconds: 7200 });
    await clock.advance(481_000);
    assert.equal(await token.current(), 't2');
  });

  it('fails where the account is not there, and not for ever', async () => {
    client.cluster.remove(serviceAccounts, account);
    const token = new ServiceAccountToken(client, account, { clock });
    await assert.rejects(token.current(), isNotFound);
    client.cluster.put(serviceAccounts, { metadata: account });
    assert.match(await token.current(), /^token-of-kube-system-deployment-controller/);
  });

  it('is what a REST client shows, and another one after a 401', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name: 'a' } };
    const service = await startHttpsService((_request, response) =>
      answerJson(response, object, service.received.length === 1 ? 401 : 200),
    );
    const tokenSource = new ServiceAccountToken(client, account, { clock });
    const rest = new RestClient({ server: new URL(service.url), ca: service.ca, credentials: { tokenSource } });
    try {
      await assert.rejects(rest.get(configMaps, { namespace: 'n', name: 'a' }), { code: 401 });
      await rest.get(configMaps, { namespace: 'n', name: 'a' });
      await rest.get(configMaps, { namespace: 'n', name: 'a' });
      const shown = service.received.map(({ headers }) => headers.authorization);
      assert.deepEqual([new Set(shown).size, shown[1], asked()], [2, shown[2], 2]);
      assert.match(shown[0]!, /^Bearer token-of-/);
    } finally {
      rest.close();
      await service.close();
    }
  });
});
