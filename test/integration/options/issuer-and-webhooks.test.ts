import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { signJsonWebToken } from '../../../pkg/authentication/jwt/json-web-token.ts';
import { rsaKey, TestIssuer } from '../../../pkg/authentication/oidc/issuer-testing.ts';
import { answerJson, startHttpsService, type HttpsService } from '../../../pkg/client/https-service-testing.ts';
import { toYaml } from '../../../pkg/codec/yaml.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';
import { whoAmI } from '../../fixtures/who-am-i.ts';

/** Options of services that are asked who somebody is and what they may do; what becomes of odd answers is tested where each is built. */
describe('Options of issuers and webhooks', () => {
  let dir: string;
  let server: TestServer;
  let service: HttpsService | undefined;
  let issuer: TestIssuer | undefined;

  beforeEach(() => { dir = mkdtempSync(path.join(tmpdir(), 'binnacle-asked-')); });
  afterEach(async () => {
    await server.stop();
    await service?.close();
    await issuer?.close();
    [service, issuer] = [undefined, undefined];
    rmSync(dir, { recursive: true, force: true });
  });

  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const start = async (...args: string[]): Promise<void> => { server = await startTestServer({ args }); };

  /** A service that answers reviews with a status, and the file that names it. */
  async function startService(kind: string, group: string, status: (spec: any) => object): Promise<string> {
    service = await startHttpsService(({ body }, response) => {
      const review = JSON.parse(body);
      assert.match(review.apiVersion, new RegExp(`^${group}/v1`));
      answerJson(response, { apiVersion: review.apiVersion, kind, status: status(review.spec) });
    });
    const cluster = { server: service.url, 'certificate-authority-data': Buffer.from(service.ca).toString('base64') };
    return file('service.yaml', toYaml({ apiVersion: 'v1', kind: 'Config', clusters: [{ name: 's', cluster }], users: [{ name: 'u', user: {} }], contexts: [{ name: 'c', context: { cluster: 's', user: 'u' } }], 'current-context': 'c' }));
  }
  const versionsAsked = (): string[] => service!.received.map(({ body }) => JSON.parse(body).apiVersion as string);

  it('--oidc-*: claims, prefixes, demands and algorithms', async () => {
    const [weak, strong] = [rsaKey('weak'), rsaKey('strong', 'RS512')];
    issuer = await TestIssuer.start([weak, strong]);
    const token = (claims: Record<string, unknown>, key = strong): string => issuer!.token(claims as never, Date.now(), key);
    await start(
      '--authorization-mode=AlwaysAllow', `--oidc-issuer-url=${issuer.url}`, '--oidc-client-id=kube', `--oidc-ca-file=${file('issuer.pem', issuer.service.ca)}`, '--oidc-username-claim=nick', '--oidc-username-prefix=o:',
      '--oidc-groups-claim=roles', '--oidc-groups-prefix=g:', '--oidc-required-claim=team=sea', '--oidc-required-claim=site=here', '--oidc-signing-algs=RS512',
    );
    const good = { nick: 'jane', roles: ['x', 'y'], team: 'sea', site: 'here' };
    const known = await whoAmI(server, { token: token(good) });
    assert.deepEqual([known.user?.username, known.user?.groups], ['o:jane', ['g:x', 'g:y', 'system:authenticated']]);
    for (const bad of [token({ ...good, team: 'land' }), token({ ...good, site: undefined }), token({ ...good, nick: undefined }), token(good, weak)]) assert.equal((await whoAmI(server, { token: bad })).status, 401);
  });

  it('--oidc-username-claim: other claims than email get the issuer before them', async () => {
    issuer = await TestIssuer.start([rsaKey('one')]);
    await start('--authorization-mode=AlwaysAllow', `--oidc-issuer-url=${issuer.url}`, '--oidc-client-id=kube', `--oidc-ca-file=${file('issuer.pem', issuer.service.ca)}`);
    assert.equal((await whoAmI(server, { token: issuer.token({}, Date.now()) })).user?.username, `${issuer.url}#jane`);
  });

  for (const [ttl, version, asked] of [['2m', 'v1', ['authentication.k8s.io/v1']], ['0s', 'v1beta1', ['authentication.k8s.io/v1beta1', 'authentication.k8s.io/v1beta1']]] as const) {
    it(`--authentication-token-webhook-cache-ttl=${ttl} and -version=${version}: two requests, ${asked.length} questions`, async () => {
      const config = await startService('TokenReview', 'authentication.k8s.io', (spec) => (spec.token === 'good' ? { authenticated: true, user: { username: 'webby' } } : { authenticated: false }));
      await start('--authorization-mode=AlwaysAllow', `--authentication-token-webhook-config-file=${config}`, `--authentication-token-webhook-cache-ttl=${ttl}`, `--authentication-token-webhook-version=${version}`);
      for (let i = 0; i < 2; i++) assert.equal((await whoAmI(server, { token: 'good' })).user?.username, 'webby');
      assert.deepEqual(versionsAsked(), asked);
    });
  }

  for (const [allowed, other, questions] of [['5m', '0s', [1, 2]], ['0s', '30s', [2, 1]]] as const) {
    it(`--authorization-webhook-cache-authorized-ttl=${allowed} and -unauthorized-ttl=${other}: ${questions.join(' and ')} questions of two requests each`, async () => {
      const config = await startService('SubjectAccessReview', 'authorization.k8s.io', (spec) => ({ allowed: spec.resourceAttributes?.resource === 'configmaps' }));
      const tokens = file('tokens.csv', 'secret,jane,1\n');
      await start(
        '--authorization-mode=Webhook', `--authorization-webhook-config-file=${config}`, `--authorization-webhook-cache-authorized-ttl=${allowed}`, `--authorization-webhook-cache-unauthorized-ttl=${other}`,
        '--authorization-webhook-version=v1', `--token-auth-file=${tokens}`,
      );
      const ask = async (resource: string): Promise<number> => {
        const before = service!.received.length;
        for (let i = 0; i < 2; i++) assert.equal((await server.client.get(`/api/v1/namespaces/default/${resource}`, { authorization: 'Bearer secret' })).status, resource === 'configmaps' ? 200 : 403);
        return service!.received.length - before;
      };
      assert.deepEqual([await ask('configmaps'), await ask('secrets')], questions);
      assert.deepEqual([...new Set(versionsAsked())], ['authorization.k8s.io/v1']);
    });
  }

  it('--service-account-lookup=false: the token of a secret is good without secret and account', async () => {
    const { privateKey } = rsaKey('accounts');
    const key = file('accounts.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    const prefix = 'kubernetes.io/serviceaccount';
    const claims = {
      iss: 'kubernetes/serviceaccount', sub: 'system:serviceaccount:default:robot', [`${prefix}/namespace`]: 'default', [`${prefix}/secret.name`]: 'gone',
      [`${prefix}/service-account.name`]: 'robot', [`${prefix}/service-account.uid`]: 'u1',
    };
    const token = signJsonWebToken(claims, privateKey, 'RS256', '');
    for (const [lookup, status] of [['true', 401], ['false', 201]] as const) {
      await start('--authorization-mode=AlwaysAllow', `--service-account-key-file=${key}`, `--service-account-lookup=${lookup}`);
      assert.equal((await whoAmI(server, { token })).status, status, lookup);
      if (lookup === 'true') await server.stop();
    }
  });

  it('--service-account-jwks-uri: where the issuer says that its keys are', async () => {
    await start('--service-account-jwks-uri=https://keys.example.com/jwks');
    assert.equal((await server.client.get('/.well-known/openid-configuration')).json.jwks_uri, 'https://keys.example.com/jwks');
  });

  it('--service-account-api-audiences and --service-account-max-token-expiration: what tokens are good for, and how long', async () => {
    await start('--service-account-api-audiences=one,two', '--service-account-max-token-expiration=2h', '--service-account-issuer=https://issuer.example.com');
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    assert.equal((await server.client.post(accounts, { metadata: { name: 'robot' } })).status, 201);
    const { status } = (await server.client.post(`${accounts}/robot/token`, { spec: { expirationSeconds: 360_000 } })).json;
    const claims = JSON.parse(Buffer.from(status.token.split('.')[1], 'base64url').toString());
    assert.deepEqual([claims.iss, claims.aud, claims.exp - claims.iat], ['https://issuer.example.com', ['one', 'two'], 7200]);
  });
});
