import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseJsonWebToken, signJsonWebToken } from '../../pkg/authentication/jwt/json-web-token.ts';
import { rsaKey, TestIssuer } from '../../pkg/authentication/oidc/issuer-testing.ts';
import { boundTokenClaims } from '../../pkg/authentication/service-account/bound-token.ts';
import { legacyTokenClaims } from '../../pkg/authentication/service-account/legacy-token.ts';
import { readSigningKey } from '../../pkg/authentication/service-account/verification-keys.ts';
import { answerJson, startHttpsService, type HttpsService } from '../../pkg/net/https-service-testing.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whoAmI } from '../fixtures/who-am-i.ts';

/** The options of authentication with values that are not their defaults. */
describe('options of authentication', () => {
  const key = () =>
    readSigningKey(
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    );
  const [current, former] = [key(), key()];
  const [es, rs] = [
    { id: 'es', algorithm: 'ES384', ...generateKeyPairSync('ec', { namedCurve: 'P-384' }) },
    rsaKey('rs'),
  ];
  let dir: string;
  let issuer: TestIssuer;
  let webhook: HttpsService;
  let server: TestServer;
  let uid: string;

  const file = (name: string, content: string): string => {
    writeFileSync(path.join(dir, name), content);
    return path.join(dir, name);
  };

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-authentication-options-'));
    issuer = await TestIssuer.start([es, rs]);
    webhook = await startHttpsService((_request, response) =>
      answerJson(response, {
        apiVersion: 'authentication.k8s.io/v1beta1',
        kind: 'TokenReview',
        status: { authenticated: false },
      }),
    );
    const config = {
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'c' } }],
      clusters: [{ name: 'c', cluster: { server: webhook.url, 'insecure-skip-tls-verify': true } }],
    };
    const currentFile = file('current.key', current.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    server = await startTestServer({
      args: [
        '--authorization-mode=AlwaysAllow',
        '--anonymous-auth=false',
        `--service-account-signing-key-file=${currentFile}`,
        `--service-account-key-file=${currentFile}`,
        `--service-account-key-file=${file('former.pem', former.key.export({ type: 'spki', format: 'pem' }) as string)}`,
        '--service-account-issuer=https://new.example',
        '--service-account-issuer=https://old.example',
        '--service-account-api-audiences=one,two',
        '--service-account-lookup=false',
        '--service-account-max-token-expiration=1h',
        '--service-account-extend-token-expiration=false',
        '--service-account-jwks-uri=https://keys.example/jwks',
        `--oidc-issuer-url=${issuer.url}`,
        '--oidc-client-id=kube',
        `--oidc-ca-file=${file('issuer.pem', issuer.service.ca)}`,
        '--oidc-username-claim=email',
        '--oidc-username-prefix=mail:',
        '--oidc-groups-claim=groups',
        '--oidc-groups-prefix=team:',
        '--oidc-required-claim=hd=example.com',
        '--oidc-required-claim=env=prod',
        '--oidc-signing-algs=ES384',
        `--authentication-token-webhook-config-file=${file('webhook', JSON.stringify(config))}`,
        '--authentication-token-webhook-cache-ttl=0s',
      ],
    });
    uid = (await server.client.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })).json
      .metadata.uid;
  });
  after(async () => {
    assert.deepEqual(server.errors, []);
    await server.stop();
    await webhook.close();
    await issuer.close();
    rmSync(dir, { recursive: true });
  });

  const userOf = async (token: string) => (await whoAmI(server, { token })).user?.username;
  const robot = 'system:serviceaccount:default:robot';

  it('refuse requests without a credential, and ask for no password where none is configured', async () => {
    const { status, challenge } = await whoAmI(server);
    assert.deepEqual([status, challenge], [401, undefined]);
  });

  it('bound and name the tokens that are issued', async () => {
    const path_ = '/api/v1/namespaces/default/serviceaccounts/robot/token';
    const long = await server.client.post(path_, { spec: { expirationSeconds: 7200 } });
    assert.equal(long.headers.warning, '299 - "requested expiration of 7200 seconds shortened to 3600 seconds"');
    assert.deepEqual([long.json.spec.expirationSeconds, long.json.spec.audiences], [3600, ['one', 'two']]);
    assert.equal(parseJsonWebToken(long.json.status.token)?.claims.iss, 'https://new.example');
    assert.equal(await userOf(long.json.status.token), robot);
    const pod = {
      metadata: { name: 'pod' },
      spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
    };
    assert.equal((await server.client.post('/api/v1/namespaces/default/pods', pod)).status, 201);
    const mounted = await server.client.post(path_, {
      spec: { expirationSeconds: 3600, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'pod' } },
    });
    const { claims } = parseJsonWebToken(mounted.json.status.token)!;
    assert.equal(Number(claims.exp) - Number(claims.iat), 3600);
  });

  it('accept tokens of former keys and issuers, for any audience of the server', async () => {
    for (const [signer, iss, audience] of [
      [former, 'https://old.example', 'two'],
      [current, 'https://old.example', 'one'],
      [former, 'https://new.example', 'one'],
    ] as const) {
      const content = {
        id: 'a-token',
        namespace: 'default',
        account: { name: 'robot', uid },
        audiences: [audience],
        validSeconds: 600,
      };
      assert.equal(
        await userOf(
          signJsonWebToken(boundTokenClaims(content, iss, Date.now()), signer.privateKey, signer.algorithm, signer.id),
        ),
        robot,
      );
      assert.equal(
        await userOf(
          signJsonWebToken(
            boundTokenClaims({ ...content, audiences: ['three'] }, iss, Date.now()),
            signer.privateKey,
            signer.algorithm,
            signer.id,
          ),
        ),
        undefined,
      );
    }
    const { json } = await server.client.get('/.well-known/openid-configuration');
    assert.deepEqual([json.issuer, json.jwks_uri], ['https://new.example', 'https://keys.example/jwks']);
    assert.equal((await server.client.get('/openid/v1/jwks')).json.keys.length, 2);
  });

  it('accept tokens of secrets that are gone, where they are not looked up', async () => {
    const claims = legacyTokenClaims({ namespace: 'gone', secret: 'gone', account: 'robot', uid: 'any' });
    assert.equal(
      await userOf(signJsonWebToken(claims, former.privateKey, former.algorithm, former.id)),
      'system:serviceaccount:gone:robot',
    );
  });

  it('read identity tokens as they say', async () => {
    const claims = { email: 'j@example.com', email_verified: true, groups: ['a'], hd: 'example.com', env: 'prod' };
    const { user } = await whoAmI(server, { token: issuer.token(claims, Date.now(), es) });
    assert.deepEqual(user, { username: 'mail:j@example.com', groups: ['team:a', 'system:authenticated'] });
    for (const changed of [{ env: 'dev' }, { hd: undefined }, { email_verified: false }, { email: undefined }])
      assert.equal(await userOf(issuer.token({ ...claims, ...changed }, Date.now(), es)), undefined);
    assert.equal(await userOf(issuer.token(claims, Date.now(), rs)), undefined);
  });

  it('ask the webhook each time where answers are not remembered', async () => {
    webhook.received.length = 0;
    for (let i = 0; i < 3; i++) assert.equal(await userOf('made-up'), undefined);
    assert.deepEqual(
      webhook.received.map(({ body }) => JSON.parse(body).apiVersion),
      Array.from({ length: 3 }, () => 'authentication.k8s.io/v1beta1'),
    );
  });
});
