import assert from 'node:assert/strict';
import { answerJson, startHttpsService, type HttpsService } from '../../net/https-service-testing.ts';
import { WebhookClient } from '../../webhooks/webhook-client.ts';
import { WebhookError } from '../../webhooks/webhook-error.ts';
import { InvalidCredentials } from '../authenticator.ts';
import { tokenWebhookAuthenticator, type TokenWebhookSettings } from './authenticator.ts';
import { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';

describe('tokenWebhookAuthenticator', () => {
  let service: HttpsService;
  let client: WebhookClient;

  before(async () => {
    service = await startHttpsService((_request, response) => answerJson(response, {}));
    client = new WebhookClient({
      certificates: new DeprecatedCertificates(),
      config: { server: new URL(`${service.url}/authn`), ca: service.ca, credentials: {} },
      timeoutMs: 5000,
    });
  });
  beforeEach(() => {
    service.received.length = 0;
  });
  after(async () => {
    client.close();
    await service.close();
  });

  const open = (more: Partial<TokenWebhookSettings> = {}) =>
    tokenWebhookAuthenticator({ client, version: 'v1', audiences: ['api'], ...more });
  const answer = (status: unknown, version = 'v1', kind = 'TokenReview') =>
    service.answerWith((_request, response) =>
      answerJson(response, { apiVersion: `authentication.k8s.io/${version}`, kind, status }, 200),
    );
  const jane = {
    authenticated: true,
    user: { username: 'jane', uid: '42', groups: ['a', 'b'], extra: { key: ['v'] } },
  };

  it('sends a review and reads the user', async () => {
    answer(jane);
    assert.deepEqual(await open().authenticateToken('t', []), {
      user: { name: 'jane', uid: '42', groups: ['a', 'b'], extra: { key: ['v'] } },
      audiences: ['api'],
    });
    assert.deepEqual(JSON.parse(service.received[0]?.body ?? ''), {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token: 't', audiences: ['api'] },
      status: { user: {} },
    });
  });

  it('supports the older version', async () => {
    answer(jane, 'v1beta1');
    assert.ok(await open({ version: 'v1beta1', audiences: [] }).authenticateToken('t', []));
    assert.deepEqual(JSON.parse(service.received[0]?.body ?? '').spec, { token: 't' });
    await assert.rejects(
      async () => open().authenticateToken('t', []),
      /no TokenReview of authentication\.k8s\.io\/v1/,
    );
  });

  it('accepts answers that do not name their type', async () => {
    service.answerWith((_request, response) => answerJson(response, { status: jane }));
    assert.equal((await open().authenticateToken('t', []))?.user.name, 'jane');
  });

  it('lets the service choose the audiences of a token', async () => {
    answer({ ...jane, audiences: ['vault', 'api'] });
    assert.deepEqual((await open().authenticateToken('t', ['api', 'x']))?.audiences, ['api']);
    assert.equal(await open().authenticateToken('t', ['x']), undefined);
    answer(jane);
    assert.equal(await open().authenticateToken('t', ['vault']), undefined);
  });

  it('reports an unauthenticated token as invalid', async () => {
    for (const status of [
      { authenticated: false, user: jane.user },
      { authenticated: 'true', user: jane.user },
      { error: '' },
      {},
      undefined,
      null,
      5,
    ]) {
      answer(status);
      assert.equal(await open().authenticateToken('t', []), undefined, JSON.stringify(status));
    }
  });

  it('reports a service that could not check as a failure, which is not cached', async () => {
    answer({ authenticated: false, error: 'no database for s3cret' });
    await assert.rejects(
      async () => open().authenticateToken('s3cret', []),
      (e) => e instanceof InvalidCredentials && !e.message.includes('s3cret'),
    );
  });

  it('fails when the answer is invalid', async () => {
    answer({ authenticated: true });
    await assert.rejects(async () => open().authenticateToken('t', []), /names no user/);
    answer({ authenticated: true, user: { username: '' } });
    await assert.rejects(async () => open().authenticateToken('t', []), /names no user/);
    answer(jane, 'v1', 'Pod');
    await assert.rejects(async () => open().authenticateToken('t', []), /no TokenReview/);
    service.answerWith((_request, response) => void response.end('[]'));
    await assert.rejects(async () => open().authenticateToken('t', []), /no TokenReview/);
    service.answerWith((_request, response) => answerJson(response, {}, 500));
    await assert.rejects(
      async () => open().authenticateToken('s3cret', []),
      (e) => e instanceof WebhookError && !e.message.includes('s3cret'),
    );
  });

  it('keeps keys such as __proto__ in extra, and drops values that are not text', async () => {
    service.answerWith(
      (_request, response) =>
        void response.end(
          '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","status":{"authenticated":true,"user":{"username":"j","groups":["a",5],"extra":{"__proto__":["x"]}}}}',
        ),
    );
    const user = (await open().authenticateToken('t', []))?.user;
    assert.deepEqual([user?.groups, Object.entries(user?.extra ?? {})], [['a'], [['__proto__', ['x']]]]);
  });
});
