import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Secret, ServiceAccount } from '../../generated/types/core-v1.ts';
import { InvalidCredentials } from '../authenticator.ts';
import { signJsonWebToken, type Claims } from '../jwt/json-web-token.ts';
import { serviceAccountAuthenticator, type ServiceAccountSettings } from './authenticator.ts';
import { boundTokenClaims, type BoundTokenContent } from './bound-token.ts';
import { legacyTokenClaims } from './legacy-token.ts';
import { readSigningKey } from './verification-keys.ts';

const ISSUER = 'https://issuer';
const DAY = 24 * 3600;

describe('serviceAccountAuthenticator', () => {
  const makeKey = () =>
    readSigningKey(
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    );
  const key = makeKey();
  const start = Date.parse('2030-01-01T00:00:00Z');
  let now = start;
  let used: string[] = [];
  let objects: Map<string, ApiObject>;

  beforeEach(() => {
    now = start;
    used = [];
    objects = new Map([
      ['serviceaccounts/ns/robot', object('robot', 'account-uid')],
      ['pods/ns/pod', object('pod', 'pod-uid')],
      ['secrets/ns/secret', object('secret', 'secret-uid')],
    ]);
  });

  function object(name: string, uid: string, more: object = {}): ApiObject {
    return { metadata: { name, uid }, ...more } as ApiObject;
  }

  function open(more: Partial<ServiceAccountSettings> = {}) {
    const get = async (path: string): Promise<ApiObject | undefined> => objects.get(path);
    return serviceAccountAuthenticator({
      keys: [key],
      issuers: [ISSUER, 'https://older'],
      audiences: ['api'],
      lookup: true,
      nowMs: () => now,
      onUse: (kind) => void used.push(kind),
      onLegacyUse: ({ kind, secret }) => void used.push(`${kind} ${secret.metadata.name}`),
      objects: {
        serviceAccount: (ns, name) => get(`serviceaccounts/${ns}/${name}`) as Promise<ServiceAccount | undefined>,
        secret: (ns, name) => get(`secrets/${ns}/${name}`) as Promise<Secret | undefined>,
        pod: (ns, name) => get(`pods/${ns}/${name}`),
        node: (name) => get(`nodes/${name}`),
      },
      ...more,
    });
  }

  const content: BoundTokenContent = {
    id: 'token-id',
    namespace: 'ns',
    account: { name: 'robot', uid: 'account-uid' },
    audiences: ['api'],
    validSeconds: 3600,
  };
  const sign = (claims: Claims, with_ = key) => signJsonWebToken(claims, with_.privateKey, with_.algorithm, with_.id);
  const bound = (more: Partial<BoundTokenContent> = {}) =>
    sign(boundTokenClaims({ ...content, ...more }, ISSUER, start));
  const refused = async (token: string, pattern: RegExp, tokens = open(), audiences: string[] = []) => {
    await assert.rejects(
      async () => tokens.authenticateToken(token, audiences),
      (error: Error) => {
        assert(error instanceof InvalidCredentials, String(error));
        assert.match(error.message, pattern);
        assert.ok(!error.message.includes(token));
        return true;
      },
    );
  };

  it('accepts a bound token, and knows its audiences and its pod', async () => {
    assert.deepEqual(await open().authenticateToken(bound(), []), {
      user: {
        name: 'system:serviceaccount:ns:robot',
        uid: 'account-uid',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=token-id'] },
      },
      audiences: ['api'],
    });
    const podBound = await open().authenticateToken(bound({ pod: { name: 'pod', uid: 'pod-uid' } }), ['api', 'x']);
    assert.deepEqual(podBound?.user.extra, {
      'authentication.kubernetes.io/credential-id': ['JTI=token-id'],
      'authentication.kubernetes.io/pod-name': ['pod'],
      'authentication.kubernetes.io/pod-uid': ['pod-uid'],
    });
    assert.deepEqual(podBound?.audiences, ['api']);
    assert.ok(await open().authenticateToken(bound({ secret: { name: 'secret', uid: 'secret-uid' } }), []));
    assert.ok(await open().authenticateToken(sign(boundTokenClaims(content, 'https://older', start)), []));
    assert.deepEqual(used, []);
  });

  it('requires the node of a token without a pod', async () => {
    const node = { name: 'node', uid: 'node-uid' };
    const extra = async (token: string) => (await open().authenticateToken(token, []))?.user.extra;
    const facts = {
      'authentication.kubernetes.io/credential-id': ['JTI=token-id'],
      'authentication.kubernetes.io/node-name': ['node'],
    };
    const pod = {
      'authentication.kubernetes.io/pod-name': ['pod'],
      'authentication.kubernetes.io/pod-uid': ['pod-uid'],
    };
    assert.deepEqual(await extra(bound({ pod: { name: 'pod', uid: 'pod-uid' }, node: { name: 'node' } })), {
      ...facts,
      ...pod,
    });
    await refused(bound({ node }), /node is gone/);
    objects.set('nodes/node', object('node', 'node-uid'));
    assert.deepEqual(await extra(bound({ node })), { ...facts, 'authentication.kubernetes.io/node-uid': ['node-uid'] });
    await refused(bound({ node: { ...node, uid: 'other' } }), /another one/);
  });

  it('accepts tokens without an id, of older servers', async () => {
    const { jti: _, ...claims } = boundTokenClaims(content, ISSUER, start);
    assert.equal((await open().authenticateToken(sign(claims), []))?.user.extra, undefined);
  });

  it('refuses bound tokens outside of their time', async () => {
    const tokens = open();
    now = start + (3600 + 59) * 1000;
    assert.ok(await tokens.authenticateToken(bound(), []));
    now = start + (3600 + 60) * 1000;
    await refused(bound(), /has expired/, tokens);
    now = start - 61_000;
    await refused(bound(), /not valid yet/, tokens);
    const { exp: _, ...eternal } = boundTokenClaims(content, ISSUER, start);
    now = start;
    await refused(sign(eternal), /no expiry/, tokens);
  });

  it('refuses bound tokens for other audiences', async () => {
    await refused(bound({ audiences: ['vault'] }), /other audiences/);
    await refused(bound(), /other audiences/, open(), ['vault']);
    assert.deepEqual((await open().authenticateToken(bound({ audiences: ['vault'] }), ['vault', 'api']))?.audiences, [
      'vault',
    ]);
    await refused(sign({ ...boundTokenClaims(content, ISSUER, start), aud: [5] }), /no texts/);
  });

  it('refuses a token whose account, pod or secret is deleted, also one that was valid before', async () => {
    const cases: [string, string, Partial<BoundTokenContent>][] = [
      ['serviceaccounts/ns/robot', 'service account', {}],
      ['pods/ns/pod', 'pod', { pod: { name: 'pod', uid: 'pod-uid' } }],
      ['secrets/ns/secret', 'secret', { secret: { name: 'secret', uid: 'secret-uid' } }],
    ];
    for (const [path, what, more] of cases) {
      const tokens = open();
      const before = objects.get(path)!;
      const token = bound(more);
      assert.ok(await tokens.authenticateToken(token, []));
      objects.delete(path);
      await refused(token, new RegExp(`the token's ${what} is gone`), tokens);
      objects.set(path, { ...before, metadata: { ...before.metadata, uid: 'another' } });
      await refused(token, /another one/, tokens);
      objects.set(path, {
        ...before,
        metadata: { ...before.metadata, deletionTimestamp: new Date(start - 61_000).toISOString() },
      });
      await refused(token, /being deleted/, tokens);
      objects.set(path, {
        ...before,
        metadata: { ...before.metadata, deletionTimestamp: new Date(start).toISOString() },
      });
      assert.ok(await tokens.authenticateToken(token, []));
      objects.set(path, before);
    }
  });

  it('refuses tokens that other keys signed, and claims that contradict each other', async () => {
    await refused(sign(boundTokenClaims(content, ISSUER, start), makeKey()), /no key/);
    const claims = boundTokenClaims(content, ISSUER, start);
    await refused(signJsonWebToken(claims, key.privateKey, key.algorithm, 'other-kid'), /no key/);
    await refused(sign({ ...claims, sub: 'system:serviceaccount:ns:admin' }), /subject/);
    await refused(sign({ ...claims, sub: 'system:admin' }), /subject/);
    await refused(sign({ ...claims, 'kubernetes.io': undefined }), /does not name its account/);
    await refused(sign({ ...claims, 'kubernetes.io': { namespace: 'ns' } }), /does not name its account/);
    await refused(
      sign({ ...claims, 'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot' } } }),
      /no name or uid/,
    );
    await refused(
      sign({
        ...claims,
        'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'account-uid' }, pod: {} },
      }),
      /no name or uid/,
    );
    await refused(
      sign({
        ...claims,
        'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'account-uid' }, secret: 'x' },
      }),
      /no name or uid/,
    );
  });

  it('ignores tokens of other issuers', async () => {
    for (const token of [
      'abc',
      'a.b.c',
      sign({ iss: 'https://elsewhere' }),
      sign({}),
      sign({ iss: ['https://issuer'] }),
    ])
      assert.equal(await open().authenticateToken(token, []), undefined);
    assert.equal(await open({ issuers: [] }).authenticateToken(bound(), []), undefined);
  });

  it('warns of tokens that should have been replaced', async () => {
    const token = bound({ validSeconds: 365 * DAY, warnAfterSeconds: 3607 });
    const tokens = open();
    assert.equal((await tokens.authenticateToken(token, []))?.annotations, undefined);
    now = start + 4000_000;
    assert.deepEqual((await tokens.authenticateToken(token, []))?.annotations, {
      'authentication.k8s.io/stale-token':
        'subject: system:serviceaccount:ns:robot, seconds after warning threshold: 393',
    });
    assert.deepEqual(used, ['valid', 'stale']);
  });

  describe('with tokens from secrets', () => {
    const legacy = legacyTokenClaims({ namespace: 'ns', secret: 'secret', account: 'robot', uid: 'account-uid' });
    const token = sign(legacy);
    const keep = (text: string) =>
      objects.set(
        'secrets/ns/secret',
        object('secret', 'secret-uid', { data: { token: Buffer.from(text).toString('base64') } }),
      );

    it('accepts the token that its secret holds', async () => {
      keep(token);
      assert.deepEqual(await open().authenticateToken(token, []), {
        user: {
          name: 'system:serviceaccount:ns:robot',
          uid: 'account-uid',
          groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
        },
        annotations: {
          'authentication.k8s.io/legacy-token': 'system:serviceaccount:ns:robot',
          'authentication.k8s.io/legacy-token-manual-secret': 'secret',
        },
        audiences: ['api'],
      });
      assert.deepEqual(used, ['manual secret', 'legacy']);
      await refused(token, /other audiences/, open(), ['vault']);
    });

    it('warns of tokens that the control plane generated, and refuses those that are marked as invalid', async () => {
      keep(token);
      objects.set('serviceaccounts/ns/robot', object('robot', 'account-uid', { secrets: [{ name: 'secret' }] }));
      const known = await open().authenticateToken(token, []);
      assert.match(known?.warnings?.join() ?? '', /^Use tokens from the TokenRequest API/);
      assert.equal(known?.annotations?.['authentication.k8s.io/legacy-token-autogenerated-secret'], 'secret');
      objects.get('secrets/ns/secret')!.metadata.labels = { 'kubernetes.io/legacy-token-invalid-since': '2029-01-01' };
      await refused(token, /marked as invalid/);
      assert.deepEqual(used, ['generated secret', 'legacy', 'invalidated secret']);
    });

    it('refuses it when secret or account are deleted or replaced', async () => {
      const tokens = open();
      await refused(token, /not the one in its secret/, tokens);
      keep(`${token}x`);
      await refused(token, /not the one in its secret/, tokens);
      objects.delete('secrets/ns/secret');
      await refused(token, /secret is gone/, tokens);
      keep(token);
      const account = objects.get('serviceaccounts/ns/robot')!;
      objects.set('serviceaccounts/ns/robot', {
        ...account,
        metadata: { ...account.metadata, deletionTimestamp: new Date(start - 1000).toISOString() },
      });
      await refused(token, /account is being deleted/, tokens);
      objects.set('serviceaccounts/ns/robot', object('robot', 'another'));
      await refused(token, /another one/, tokens);
      objects.delete('serviceaccounts/ns/robot');
      await refused(token, /service account is gone/, tokens);
    });

    it('reads no objects where lookups are off', async () => {
      objects.clear();
      assert.ok(await open({ lookup: false }).authenticateToken(token, []));
    });

    it('refuses claims that are missing or contradict each other', async () => {
      keep(token);
      for (const name of Object.keys(legacy).filter((n) => n !== 'iss' && !n.endsWith('service-account.name'))) {
        const { [name]: _, ...rest } = legacy;
        await refused(sign(rest), name === 'sub' ? /subject/ : /is missing/);
      }
      await refused(sign({ ...legacy, sub: 'system:serviceaccount:kube-system:robot' }), /subject/);
      await refused(sign(legacy, makeKey()), /no key/);
    });
  });

  it('accepts bound tokens whose issuer has the name of that of secrets', async () => {
    const tokens = open({ issuers: ['kubernetes/serviceaccount'] });
    assert.ok(await tokens.authenticateToken(sign(boundTokenClaims(content, 'kubernetes/serviceaccount', start)), []));
  });
});
