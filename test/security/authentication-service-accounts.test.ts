import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseJsonWebToken, signJsonWebToken } from '../../pkg/authentication/jwt/json-web-token.ts';
import { verifySignature } from '../../pkg/authentication/jwt/signature-algorithms.ts';
import { legacyTokenClaims } from '../../pkg/authentication/service-account/legacy-token.ts';
import { readSigningKey } from '../../pkg/authentication/service-account/verification-keys.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { patchResponse, startWebhookServer } from '../fixtures/webhook-server.ts';
import { until } from '../fixtures/until.ts';
import { whoAmI } from '../fixtures/who-am-i.ts';

const AUDIENCE = 'https://kubernetes.default.svc';

describe('tokens of service accounts', () => {
  let server: TestServer;
  let robotUid: string;

  before(async () => {
    server = await startTestServer({ args: ['--authorization-mode=AlwaysAllow'] });
  });
  beforeEach(async () => {
    robotUid = (await create('serviceaccounts', { metadata: { name: 'robot' } })).metadata.uid;
    await create('serviceaccounts', { metadata: { name: 'other' } });
    await create('pods', {
      metadata: { name: 'pod' },
      spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
    });
    await create('secrets', { metadata: { name: 'secret' } });
  });
  afterEach(async () => {
    for (const object of ['serviceaccounts/robot', 'serviceaccounts/other', 'pods/pod', 'secrets/secret'])
      await server.client.delete(at(object), { gracePeriodSeconds: 0 });
    assert.deepEqual(server.errors, []);
  });
  after(() => server.stop());

  const at = (rest: string): string => `/api/v1/namespaces/default/${rest}`;

  async function create(resource: string, object: object): Promise<any> {
    const answer = await server.client.post(at(resource), object);
    assert.equal(answer.status, 201, answer.body.toString());
    return answer.json;
  }

  const request = (spec: object = {}, account = 'robot', more: object = {}) =>
    server.client.post(at(`serviceaccounts/${account}/token`), {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      spec,
      ...more,
    });
  const tokenFor = async (spec: object = {}): Promise<string> => {
    const answer = await request(spec);
    assert.equal(answer.status, 201, answer.body.toString());
    return answer.json.status.token;
  };
  const review = async (token: string, audiences?: string[]) =>
    (await server.client.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences } })).json
      .status;
  const robot = {
    username: 'system:serviceaccount:default:robot',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
  };

  const credentialOf = (token: string) => ({
    'authentication.kubernetes.io/credential-id': [`JTI=${String(parseJsonWebToken(token)!.claims.jti)}`],
  });

  it('are issued for an hour and this server, and known', async () => {
    const { status, json } = await request();
    assert.equal(status, 201);
    assert.deepEqual([json.kind, json.metadata.name, json.metadata.namespace], ['TokenRequest', 'robot', 'default']);
    assert.deepEqual(json.spec, { audiences: [AUDIENCE], expirationSeconds: 3600, boundObjectRef: null });
    assert.equal(Date.parse(json.status.expirationTimestamp) - Date.parse(json.metadata.creationTimestamp), 3600_000);
    const { claims } = parseJsonWebToken(json.status.token)!;
    assert.match(String(claims.jti), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const extra = credentialOf(json.status.token);
    assert.deepEqual((await whoAmI(server, { token: json.status.token })).user, { ...robot, uid: robotUid, extra });
    assert.deepEqual((await review(json.status.token)).user, { ...robot, uid: robotUid, extra });
    assert.notEqual(parseJsonWebToken(await tokenFor())!.claims.jti, claims.jti);
    assert.deepEqual(
      [claims.iss, claims.aud, claims.sub, claims['kubernetes.io']],
      [
        AUDIENCE,
        [AUDIENCE],
        robot.username,
        { namespace: 'default', serviceaccount: { name: 'robot', uid: robotUid } },
      ],
    );
    assert.deepEqual([Number(claims.exp) - Number(claims.iat), claims.nbf], [3600, claims.iat]);
  });

  it('are refused in the words of a stock server', async () => {
    const refusals: [object, number, string, string?][] = [
      [
        { expirationSeconds: 599 },
        422,
        'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
      ],
      [
        { expirationSeconds: 2 ** 32 + 1 },
        422,
        'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
      ],
      [{}, 404, 'serviceaccounts "none" not found', 'none'],
      [{ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } }, 404, 'pods "none" not found'],
      [
        { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'pod' } },
        400,
        'cannot bind token for serviceaccount "other" to pod running with different serviceaccount name.',
        'other',
      ],
      [{ boundObjectRef: { kind: 'Pod', apiVersion: 'v1' } }, 400, 'Name parameter required.'],
      [
        { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: '../kube-system' } },
        400,
        'Name parameter invalid: "../kube-system": may not contain \'/\'',
      ],
      [
        { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' } },
        400,
        'cannot bind token to object of type /v1, Kind=ConfigMap',
      ],
      [
        { boundObjectRef: { kind: 'Pod', apiVersion: 'apps/v1', name: 'x' } },
        400,
        'cannot bind token to object of type apps/v1, Kind=Pod',
      ],
      [
        { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'secret', uid: 'x' } },
        409,
        'Operation cannot be fulfilled on Secret "secret": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
      ],
    ];
    for (const [spec, status, message, account] of refusals) {
      const answer = await request(spec, account);
      assert.deepEqual([answer.status, answer.json.message], [status, message]);
    }
    const renamed = await request({}, 'robot', { metadata: { name: 'other' } });
    assert.deepEqual([renamed.status, renamed.json.details.causes[0].field], [422, 'metadata.name']);
    assert.equal((await request({ expirationSeconds: 600 })).status, 201);
    assert.equal((await request({ expirationSeconds: 2 ** 32 })).status, 201);
  });

  it('are no better than what admission makes of the request', async () => {
    const hook = await startWebhookServer();
    const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
    const webhook = {
      name: 'w.example.com',
      clientConfig: hook.clientConfig('/'),
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['serviceaccounts/token'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    assert.equal(
      (await server.client.post(configurations, { metadata: { name: 'tokens' }, webhooks: [webhook] })).status,
      201,
    );
    try {
      hook.respond(() => patchResponse({ op: 'replace', path: '/spec/expirationSeconds', value: 5 }));
      const short = await request({}, 'robot', {
        metadata: { uid: 'made-up', creationTimestamp: '2000-01-01T00:00:00Z' },
      });
      assert.deepEqual(
        [short.status, short.json.message],
        [
          422,
          'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
        ],
      );
      // Nothing but what the client said, and what the version says for it.
      assert.deepEqual(hook.reviews.at(-1)?.object, {
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { namespace: 'default' },
        spec: { audiences: null, expirationSeconds: 3600, boundObjectRef: null },
        status: { token: '', expirationTimestamp: null },
      });
      hook.respond(() => patchResponse({ op: 'remove', path: '/spec' }));
      assert.deepEqual((await request({ expirationSeconds: 600, audiences: ['vault'] })).json.spec, {
        audiences: [AUDIENCE],
        expirationSeconds: 3600,
        boundObjectRef: null,
      });
      hook.respond(() => patchResponse({ op: 'replace', path: '/spec/audiences', value: ['vault'] }));
      const vault = await request();
      assert.deepEqual(
        [vault.status, vault.json.spec.audiences, parseJsonWebToken(vault.json.status.token)!.claims.aud],
        [201, ['vault'], ['vault']],
      );
    } finally {
      await server.client.delete(`${configurations}/tokens`);
      await hook.close();
    }
  });

  it('end with the account, even one of the same name', async () => {
    const token = await tokenFor();
    assert.equal((await whoAmI(server, { token })).status, 201);
    await server.client.delete(at('serviceaccounts/robot'));
    assert.equal((await whoAmI(server, { token })).status, 401);
    await create('serviceaccounts', { metadata: { name: 'robot' } });
    assert.equal((await whoAmI(server, { token })).status, 401);
  });

  it('end with the pod or secret that they are bound to', async () => {
    const pod = await server.client.get(at('pods/pod'));
    const podToken = await tokenFor({
      boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'pod', uid: pod.json.metadata.uid },
    });
    const secretToken = await tokenFor({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'secret' } });
    const { 'authentication.kubernetes.io/credential-id': _id, ...podFacts } =
      (await whoAmI(server, { token: podToken })).user?.extra ?? {};
    assert.deepEqual(podFacts, {
      'authentication.kubernetes.io/pod-name': ['pod'],
      'authentication.kubernetes.io/pod-uid': [pod.json.metadata.uid],
    });
    assert.equal((await whoAmI(server, { token: secretToken })).status, 201);
    for (const [object, token] of [
      ['pods/pod', podToken],
      ['secrets/secret', secretToken],
    ] as const) {
      await server.client.delete(at(object), { gracePeriodSeconds: 0 });
      assert.equal((await whoAmI(server, { token })).status, 401, object);
    }
    await create('pods', {
      metadata: { name: 'pod' },
      spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
    });
    await create('secrets', { metadata: { name: 'secret' } });
    for (const token of [podToken, secretToken]) assert.equal((await whoAmI(server, { token })).status, 401);
  });

  it('name the node of their pod, and end with the node that they are bound to', async () => {
    const factsOf = async (token: string) => {
      const { 'authentication.kubernetes.io/credential-id': _id, ...facts } =
        (await whoAmI(server, { token })).user?.extra ?? {};
      return facts;
    };
    const placed = await create('pods', {
      metadata: { name: 'placed' },
      spec: { serviceAccountName: 'robot', nodeName: 'machine', containers: [{ name: 'c', image: 'i' }] },
    });
    const podFacts = {
      'authentication.kubernetes.io/pod-name': ['placed'],
      'authentication.kubernetes.io/pod-uid': [placed.metadata.uid],
    };
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'placed' };
    try {
      assert.deepEqual(await factsOf(await tokenFor({ boundObjectRef })), {
        'authentication.kubernetes.io/node-name': ['machine'],
        ...podFacts,
      });
      const node = (await server.client.post('/api/v1/nodes', { metadata: { name: 'machine' } })).json;
      const nodeFacts = {
        'authentication.kubernetes.io/node-name': ['machine'],
        'authentication.kubernetes.io/node-uid': [node.metadata.uid],
      };
      const podToken = await tokenFor({ boundObjectRef });
      assert.deepEqual(await factsOf(podToken), { ...nodeFacts, ...podFacts });
      const nodeToken = await tokenFor({ boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'machine' } });
      assert.deepEqual(await factsOf(nodeToken), nodeFacts);
      await server.client.delete('/api/v1/nodes/machine');
      assert.equal((await whoAmI(server, { token: nodeToken })).status, 401);
      assert.equal((await whoAmI(server, { token: podToken })).status, 201, 'it needs its pod, not the node');
    } finally {
      await server.client.delete('/api/v1/nodes/machine');
      await server.client.delete(at('pods/placed'), { gracePeriodSeconds: 0 });
    }
  });

  it('are named in the audit event of their making', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-audit-'));
    writeFileSync(
      path.join(dir, 'policy.yaml'),
      'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n',
    );
    const log = path.join(dir, 'audit.log');
    const audited = await startTestServer({
      args: [
        `--audit-policy-file=${path.join(dir, 'policy.yaml')}`,
        `--audit-log-path=${log}`,
        '--audit-log-mode=blocking',
      ],
    });
    try {
      const made = await audited.client.post(at('serviceaccounts/default/token'), { spec: {} });
      const [credential] = credentialOf(made.json.status.token)['authentication.kubernetes.io/credential-id'];
      await whoAmI(audited, { token: made.json.status.token });
      const events = readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const ofMaking = events.find(
        (event) => event.objectRef?.subresource === 'token' && event.stage === 'ResponseComplete',
      );
      assert.equal(ofMaking.annotations['authentication.kubernetes.io/issued-credential-id'], credential);
      assert.ok(
        events.some(({ user }) => user.extra?.['authentication.kubernetes.io/credential-id']?.[0] === credential),
        'and in those of its uses',
      );
    } finally {
      await audited.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('are good for their audiences alone', async () => {
    const vault = await tokenFor({ audiences: ['vault', 'other'] });
    assert.equal((await whoAmI(server, { token: vault })).status, 401);
    assert.deepEqual(await review(vault), { user: {}, error: 'invalid bearer token' });
    assert.deepEqual(await review(vault, ['x', 'vault']), {
      authenticated: true,
      user: { ...robot, uid: robotUid, extra: credentialOf(vault) },
      audiences: ['vault'],
    });
    const own = await tokenFor();
    assert.deepEqual(await review(own), {
      authenticated: true,
      user: { ...robot, uid: robotUid, extra: credentialOf(own) },
      audiences: [AUDIENCE],
    });
    assert.deepEqual(await review(own, ['vault']), { user: {}, error: 'invalid bearer token' });
    assert.deepEqual(await review(server.client.token, ['vault']), { user: {}, error: 'invalid bearer token' });
    assert.deepEqual((await review(server.client.token)).audiences, [AUDIENCE]);
    const older = await server.client.post('/apis/authentication.k8s.io/v1beta1/tokenreviews', {
      spec: { token: vault, audiences: ['vault'] },
    });
    assert.deepEqual(
      [older.status, older.json.apiVersion, older.json.status.audiences],
      [201, 'authentication.k8s.io/v1beta1', ['vault']],
    );
    assert.equal(
      (await server.client.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: {} })).json.message,
      'token is required for TokenReview in authentication',
    );
  });

  it('that pods mount at the usual place stay valid for long, with a word of warning', async () => {
    const spec = { expirationSeconds: 3607, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'pod' } };
    const answer = await request(spec);
    const { claims } = parseJsonWebToken(answer.json.status.token)!;
    assert.equal(Number(claims.exp) - Number(claims.iat), 365 * 24 * 3600);
    assert.equal((claims['kubernetes.io'] as { warnafter: number }).warnafter - Number(claims.iat), 3607);
    assert.equal(
      Date.parse(answer.json.status.expirationTimestamp) - Date.parse(answer.json.metadata.creationTimestamp),
      3607_000,
    );
    for (const other of [
      { ...spec, expirationSeconds: 3608 },
      { ...spec, audiences: ['vault'] },
      { expirationSeconds: 3607 },
    ]) {
      const { claims: plain } = parseJsonWebToken(await tokenFor(other))!;
      assert.ok(Number(plain.exp) - Number(plain.iat) < 3700);
    }
  });

  it('cannot be forged', async () => {
    const token = await tokenFor();
    const parsed = parseJsonWebToken(token)!;
    const [head, body, signature] = token.split('.') as [string, string, string];
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const claims = { ...parsed.claims, sub: 'system:serviceaccount:kube-system:admin' };
    const forged = [
      `${head}.${encode(claims)}.${signature}`,
      `${encode({ alg: 'none' })}.${body}.`,
      `${encode({ alg: 'none', kid: parsed.keyId })}.${body}.${signature}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      signJsonWebToken(parsed.claims, stranger, 'ES256', parsed.keyId!),
      signJsonWebToken(parsed.claims, stranger, 'ES256', ''),
      `${token}.${signature}`,
      `${head}.${body}.${signature.slice(0, -4)}`,
      `${head}.${body}.${'A'.repeat(50_000)}`,
      'a'.repeat(60_000),
    ];
    for (const bad of forged) {
      assert.equal((await whoAmI(server, { token: bad })).status, 401, bad.slice(0, 80));
      assert.deepEqual(await review(bad), { user: {}, error: 'invalid bearer token' });
    }
    assert.equal((await whoAmI(server, { token })).status, 201);
  });

  it('can be verified by others from the documents of the issuer, which are public', async () => {
    const configuration = await server.client.get('/.well-known/openid-configuration');
    assert.equal(configuration.json.issuer, AUDIENCE);
    assert.equal(new URL(configuration.json.jwks_uri).pathname, '/openid/v1/jwks');
    const keys = await server.client.get('/openid/v1/jwks');
    assert.equal(keys.headers['content-type'], 'application/jwk-set+json');
    const parsed = parseJsonWebToken(await tokenFor())!;
    const jwk = keys.json.keys.find(({ kid }: { kid: string }) => kid === parsed.keyId);
    assert.ok(
      verifySignature(parsed.algorithm, createPublicKey({ key: jwk, format: 'jwk' }), parsed.input, parsed.signature),
    );
    assert.doesNotMatch(keys.body.toString(), /"d":/);
    for (const method of ['POST', 'PUT', 'DELETE', 'HEAD'])
      assert.equal((await server.client.send(method, '/openid/v1/jwks')).status, 405, method);
  });

  it('that stand in secrets are good as long as these', async () => {
    const file = path.join(path.dirname(server.running.kubeconfig.path), 'pki', 'service-account.key');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const key = readSigningKey(readFileSync(file, 'utf8'));
    const token = signJsonWebToken(
      legacyTokenClaims({ namespace: 'default', secret: 'robot-token', account: 'robot', uid: robotUid }),
      key.privateKey,
      key.algorithm,
      key.id,
    );
    assert.equal((await whoAmI(server, { token })).status, 401);
    await create('secrets', {
      metadata: { name: 'robot-token', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
      type: 'kubernetes.io/service-account-token',
      stringData: { token },
    });
    assert.deepEqual((await whoAmI(server, { token })).user, { ...robot, uid: robotUid });
    const today = new Date().toISOString().slice(0, 10);
    // Requests do not wait for the mark.
    await until(
      async () =>
        [today, new Date().toISOString().slice(0, 10)].includes(
          (await server.client.get(at('secrets/robot-token'))).json.metadata.labels?.[
            'kubernetes.io/legacy-token-last-used'
          ],
        ),
      'the secret is marked',
    );
    await server.client.delete(at('secrets/robot-token'));
    assert.equal((await whoAmI(server, { token })).status, 401);
    const { body } = await server.client.get('/metrics');
    assert.match(body.toString(), /^serviceaccount_legacy_tokens_total 1$/m);
    assert.match(body.toString(), /^serviceaccount_legacy_manual_token_uses_total 1$/m);
  });
});
