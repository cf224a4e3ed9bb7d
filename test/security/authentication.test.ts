import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rsaKey, TestIssuer } from '../../pkg/authentication/oidc/issuer-testing.ts';
import { CLIENT_AUTH, SERVER_AUTH, TestAuthority } from '../../pkg/net/certificates-testing.ts';
import { answerJson, startHttpsService, type HttpsService } from '../../pkg/net/https-service-testing.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whoAmI, type ShownCredentials, type WhoAmI } from '../fixtures/who-am-i.ts';

/** Every kind of credential against one whole server that knows them all. */
describe('a server with every kind of credential', () => {
  const key = rsaKey('first');
  let dir: string;
  let clients: TestAuthority;
  let proxies: TestAuthority;
  let front: TestAuthority;
  let issuer: TestIssuer;
  let webhook: HttpsService;
  let server: TestServer;

  const file = (name: string, content: string): string => {
    writeFileSync(path.join(dir, name), content);
    return path.join(dir, name);
  };

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-authentication-'));
    [clients, proxies] = [await TestAuthority.create('CN=clients'), await TestAuthority.create('CN=proxies')];
    front = await proxies.sign({ subject: 'CN=front', extendedKeyUsages: [CLIENT_AUTH] });
    issuer = await TestIssuer.start([key]);
    webhook = await startHttpsService(({ body }, response) => answerJson(response, reviewed(JSON.parse(body))));
    const webhookConfig = {
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      users: [{ name: 'u', user: { token: 'server-to-webhook' } }],
      clusters: [
        {
          name: 'c',
          cluster: {
            server: `${webhook.url}/authn`,
            'certificate-authority-data': Buffer.from(webhook.ca).toString('base64'),
          },
        },
      ],
    };
    server = await startTestServer({
      args: [
        '--authorization-mode=AlwaysAllow',
        `--token-auth-file=${file('tokens', 'alicetoken,alice,alice-uid,"staff,ops"\nschlüssel,jörg,3\n')}`,
        `--basic-auth-file=${file('passwords', 'secret,bob,bob-uid,"devs"\n')}`,
        `--client-ca-file=${file('clients.pem', clients.pem)}`,
        `--requestheader-client-ca-file=${file('proxies.pem', proxies.pem)}`,
        '--requestheader-allowed-names=front',
        '--requestheader-username-headers=X-Remote-User',
        '--requestheader-group-headers=X-Remote-Group',
        '--requestheader-extra-headers-prefix=X-Remote-Extra-',
        '--enable-bootstrap-token-auth',
        `--oidc-issuer-url=${issuer.url}`,
        '--oidc-client-id=kube',
        `--oidc-ca-file=${file('issuer.pem', issuer.service.ca)}`,
        '--oidc-groups-claim=roles',
        '--oidc-groups-prefix=oidc:',
        `--authentication-token-webhook-config-file=${file('webhook', JSON.stringify(webhookConfig))}`,
        '--authentication-token-webhook-version=v1',
      ],
    });
  });
  after(async () => {
    await server.stop();
    await webhook.close();
    await issuer.close();
    rmSync(dir, { recursive: true, force: true });
  });
  afterEach(() => assert.deepEqual(server.errors.splice(0), []));

  function reviewed({ apiVersion, spec }: { apiVersion: string; spec: { token: string } }): unknown {
    const isKnown = spec.token === 'hook-token';
    return {
      apiVersion,
      kind: 'TokenReview',
      status: isKnown
        ? { authenticated: true, user: { username: 'hooked', groups: ['remote'] } }
        : { authenticated: false },
    };
  }

  const ask = (shown: ShownCredentials = {}): Promise<WhoAmI> => whoAmI(server, shown);
  const basic = (text: string) => ({
    headers: [['authorization', `Basic ${Buffer.from(text).toString('base64')}`]] as const,
  });
  async function refused(shown: ShownCredentials): Promise<void> {
    const { status, body, challenge } = await ask(shown);
    assert.equal(challenge, 'Basic realm="kubernetes-master"');
    assert.deepEqual(
      [status, body],
      [
        401,
        {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'Unauthorized',
          reason: 'Unauthorized',
          code: 401,
        },
      ],
    );
  }

  it('treats requests without credentials as anonymous', async () => {
    assert.deepEqual((await ask()).user, { username: 'system:anonymous', groups: ['system:unauthenticated'] });
  });

  it('knows tokens and passwords from files', async () => {
    assert.deepEqual((await ask({ token: 'alicetoken' })).user, {
      username: 'alice',
      uid: 'alice-uid',
      groups: ['staff', 'ops', 'system:authenticated'],
    });
    assert.deepEqual((await ask(basic('bob:secret'))).user, {
      username: 'bob',
      uid: 'bob-uid',
      groups: ['devs', 'system:authenticated'],
    });
    const bytes = Buffer.from('Bearer schlüssel').toString('latin1');
    assert.equal((await ask({ headers: [['authorization', bytes]] })).user?.username, 'jörg');
    for (const shown of [
      { token: 'alicetoke' },
      { token: 'secret' },
      basic('bob:secre'),
      basic('bob'),
      basic('alice:alicetoken'),
    ])
      await refused(shown);
  });

  it('knows certificates of clients', async () => {
    const { pem, keyPem } = await clients.sign({
      subject: [{ CN: ['carol'] }, { O: ['staff'] }, { O: ['ops'] }],
      extendedKeyUsages: [CLIENT_AUTH],
    });
    const extra = {
      'authentication.kubernetes.io/credential-id': [
        `X509SHA256=${new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase()}`,
      ],
    };
    assert.deepEqual((await ask({ certificate: pem, key: keyPem })).user, {
      username: 'carol',
      groups: ['staff', 'ops', 'system:authenticated'],
      extra,
    });
    const middle = await clients.sign({ subject: 'CN=middle', authority: {} });
    const below = await middle.sign({ subject: 'CN=dave', extendedKeyUsages: [CLIENT_AUTH] });
    assert.equal((await ask({ certificate: below.pem + middle.pem, key: below.keyPem })).user?.username, 'dave');
    assert.equal((await ask({ certificate: pem, key: keyPem, token: 'alicetoken' })).user?.username, 'carol');
  });

  it('refuses other certificates, unless something else is good', async () => {
    const other = await TestAuthority.create('CN=clients');
    const signs: [TestAuthority, Parameters<TestAuthority['sign']>[0]][] = [
      [other, { subject: 'CN=admin,O=system:masters' }],
      [clients, { subject: 'CN=expired', notAfter: new Date(Date.now() - 1000) }],
      [clients, { subject: 'CN=early', notBefore: new Date(Date.now() + 3600_000) }],
      [clients, { subject: 'CN=server', extendedKeyUsages: [SERVER_AUTH] }],
    ];
    for (const [authority, wish] of signs) {
      const { pem, keyPem } = await authority.sign(wish);
      await refused({ certificate: pem, key: keyPem });
      assert.equal((await ask({ certificate: pem, key: keyPem, token: 'alicetoken' })).user?.username, 'alice');
    }
  });

  it('trusts the headers of its proxy, and of no other client', async () => {
    const headers = [
      ['X-Remote-User', 'erin'],
      ['X-Remote-Group', 'a'],
      ['X-Remote-Group', 'b,c'],
      ['X-Remote-Extra-Scopes%2Fx', 'one'],
    ] as const;
    assert.deepEqual((await ask({ headers, certificate: front.pem, key: front.keyPem })).user, {
      username: 'erin',
      groups: ['a', 'b,c', 'system:authenticated'],
      extra: { 'scopes/x': ['one'] },
    });
    assert.equal((await ask({ headers })).user?.username, 'system:anonymous');
    assert.equal((await ask({ headers, token: 'alicetoken' })).user?.username, 'alice');
    const client = await clients.sign({ subject: 'CN=front', extendedKeyUsages: [CLIENT_AUTH] });
    assert.equal((await ask({ headers, certificate: client.pem, key: client.keyPem })).user?.username, 'front');
    const stranger = await proxies.sign({ subject: 'CN=stranger', extendedKeyUsages: [CLIENT_AUTH] });
    await refused({ headers, certificate: stranger.pem, key: stranger.keyPem });
  });

  it('knows bootstrap tokens as long as their secret stands', async () => {
    const secret = {
      metadata: { name: 'bootstrap-token-abcdef' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': 'abcdef',
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-authentication': 'true',
        'auth-extra-groups': 'system:bootstrappers:workers',
      },
    };
    const secrets = '/api/v1/namespaces/kube-system/secrets';
    await refused({ token: 'abcdef.0123456789abcdef' });
    assert.equal((await server.client.post(secrets, secret)).status, 201);
    assert.deepEqual((await ask({ token: 'abcdef.0123456789abcdef' })).user, {
      username: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:bootstrappers:workers', 'system:authenticated'],
    });
    await refused({ token: 'abcdef.0123456789abcdee' });
    await server.client.delete(`${secrets}/bootstrap-token-abcdef`);
    await refused({ token: 'abcdef.0123456789abcdef' });
  });

  it('knows identity tokens of its issuer, also after the issuer changed its key', async () => {
    const now = Date.now();
    assert.deepEqual((await ask({ token: issuer.token({ roles: ['dev'] }, now) })).user, {
      username: `${issuer.url}#jane`,
      groups: ['oidc:dev', 'system:authenticated'],
    });
    const next = rsaKey('second');
    await refused({ token: issuer.token({}, now, next) });
    issuer.keys = [next];
    assert.equal((await ask({ token: issuer.token({}, now, next) })).user?.username, `${issuer.url}#jane`);
    for (const claims of [{ aud: 'other' }, { exp: 1 }, { iss: 'https://elsewhere' }])
      await refused({ token: issuer.token(claims, now, next) });
  });

  it('knows the groups that an identity token leaves to another endpoint', async () => {
    const now = Date.now();
    issuer.endpoints.set('/roles', ({ headers }, response) => {
      response
        .writeHead(headers.authorization === 'Bearer to-roles' ? 200 : 401)
        .end(issuer.token({ roles: ['dev', 'ops'] }, now));
    });
    const token = (accessToken: string) =>
      issuer.token(
        {
          _claim_names: { roles: 'r' },
          _claim_sources: { r: { endpoint: `${issuer.url}/roles`, access_token: accessToken } },
        },
        now,
      );
    assert.deepEqual((await ask({ token: token('to-roles') })).user?.groups, [
      'oidc:dev',
      'oidc:ops',
      'system:authenticated',
    ]);
    await refused({ token: token('other') });
    const [error = '', ...more] = server.errors.splice(0);
    assert.deepEqual(
      [error.startsWith('authentication: '), error.includes('answered 401'), error.includes('Bearer'), more],
      [true, true, false, []],
    );
  });

  it('asks its webhook about other tokens, once for each', async () => {
    webhook.received.length = 0;
    for (let i = 0; i < 3; i++) {
      assert.deepEqual((await ask({ token: 'hook-token' })).user, {
        username: 'hooked',
        groups: ['remote', 'system:authenticated'],
      });
      await refused({ token: 'made-up' });
    }
    assert.deepEqual(
      webhook.received.map(({ headers, body }) => [headers.authorization, JSON.parse(body).spec.token]),
      [
        ['Bearer server-to-webhook', 'hook-token'],
        ['Bearer server-to-webhook', 'made-up'],
      ],
    );
    webhook.received.length = 0;
    await ask({ token: 'alicetoken' });
    assert.deepEqual(webhook.received, []);
  });

  it('counts what it was shown', async () => {
    const { body } = await server.client.get('/metrics');
    const text = body.toString();
    for (const series of [
      'authentication_attempts{result="success"}',
      'authentication_attempts{result="error"}',
      'authenticated_user_requests{username="other"}',
      'authentication_token_cache_request_total{status="hit"}',
      'authentication_duration_seconds_count{result="success"}',
    ]) {
      assert.match(text, new RegExp(`^${series.replace(/[{}]/g, '\\$&')} [1-9]`, 'm'));
    }
    assert.doesNotMatch(text, /alice|hook-token|made-up/);
  });

  it('answers no differently when its webhook is down, and logs that', async () => {
    webhook.answerWith((_request, response) => answerJson(response, {}, 404));
    await refused({ token: 'another' });
    const review = await server.client.post('/apis/authentication.k8s.io/v1/tokenreviews', {
      spec: { token: 'yet-another' },
    });
    assert.deepEqual([review.status, review.json.status], [201, { user: {}, error: 'invalid bearer token' }]);
    const errors = server.errors.splice(0);
    assert.equal(errors.length, 2);
    for (const error of errors)
      assert.match(error, /^authentication: WebhookError: https:\/\/127\.0\.0\.1:\d+\/authn: answered 404/);
  });
});
