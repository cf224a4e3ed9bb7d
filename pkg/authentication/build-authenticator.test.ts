import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLIENT_AUTH, TestAuthority } from '../net/certificates-testing.ts';
import { apiServerOptions } from '../options/api-server-options.ts';
import { OptionsError } from '../options/options-error.ts';
import { parseOptions } from '../options/parse-options.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import { readAuthenticationConfig } from './authentication-config.ts';
import { presented } from './authentication-testing.ts';
import { InvalidCredentials } from './authenticator.ts';
import { buildAuthenticator, type Authentication } from './build-authenticator.ts';
import { DeprecatedCertificates } from '../webhooks/deprecated-certificates.ts';

describe('buildAuthenticator', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-build-authenticator-'));
  const attempts: string[] = [];
  after(() => rmSync(dir, { recursive: true }));

  const file = (name: string, content: string): string => {
    writeFileSync(path.join(dir, name), content);
    return path.join(dir, name);
  };
  const pem = (key: KeyObject, type: 'pkcs8' | 'spki'): string =>
    key.export({ type, format: 'pem' } as never) as string;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  function build(...args: string[]): Authentication {
    const ignore = (): void => undefined;
    const stores: StoreAccess = () => {
      throw new Error('no store is read');
    };
    return buildAuthenticator({
      config: readAuthenticationConfig(
        parseOptions(apiServerOptions, 'apiserver', ['--store-servers=http://127.0.0.1:1', ...args]),
      ),
      stores,
      adminToken: 'admin-token',
      servingKey: pem(rsa.privateKey, 'pkcs8'),
      address: { hostPort: 'host:6443' },
      observer: {
        attempted: (result) => void attempts.push(result),
        clientCertificateUsed: ignore,
        legacyTokenUsed: () => undefined,
        webhookCertificates: new DeprecatedCertificates(),
        serviceAccountTokenUsed: ignore,
        tokenCache: { asked: ignore, fetching: ignore, fetched: ignore },
      },
      onError: (error) => {
        throw error;
      },
      nowMs: Date.now,
    });
  }

  it('treats requests without credentials as anonymous, or refuses them', async () => {
    assert.equal((await build().authenticator.authenticate(presented()))?.user.name, 'system:anonymous');
    assert.equal(await build('--anonymous-auth=false').authenticator.authenticate(presented()), undefined);
    await assert.rejects(async () => build().authenticator.authenticate(presented([['Authorization', 'Bearer x']])));
    assert.deepEqual(attempts.splice(0), ['success', 'failure', 'error']);
  });

  it('runs in the order of a stock server', async () => {
    const tokens = file('tokens', 'admin-token,other,1\nshared,from-tokens,2\n');
    const passwords = file('passwords', 'pw,from-passwords,3\n');
    const { authenticator } = build(`--token-auth-file=${tokens}`, `--basic-auth-file=${passwords}`);
    const nameOf = async (value: string) =>
      (await authenticator.authenticate(presented([['Authorization', value]])))?.user.name;
    assert.equal(await nameOf('Bearer admin-token'), 'admin');
    assert.equal(await nameOf('Bearer shared'), 'from-tokens');
    assert.equal(await nameOf(`Basic ${Buffer.from('from-passwords:pw').toString('base64')}`), 'from-passwords');
  });

  it('reloads the authorities of clients by a monotonic clock', async () => {
    const [old, next] = await Promise.all([TestAuthority.create(), TestAuthority.create()]);
    const certificate = new X509Certificate(
      (await old.sign({ subject: 'CN=alice', extendedKeyUsages: [CLIENT_AUTH] })).pem,
    );
    const ca = file('client-ca', old.pem);
    const { authenticator } = build(`--client-ca-file=${ca}`);
    assert.equal((await authenticator.authenticate(presented([], certificate)))?.user.name, 'alice');
    file('client-ca', next.pem);
    const steady = performance.now;
    try {
      performance.now = () => steady.call(performance) + 5000;
      await assert.rejects(async () => authenticator.authenticate(presented([], certificate)), InvalidCredentials);
    } finally {
      performance.now = steady;
    }
    attempts.splice(0);
  });

  it('reports every error of the files that options name', async () => {
    const bad = file('bad', 'nothing\n');
    const named = [
      'token-auth-file',
      'basic-auth-file',
      'client-ca-file',
      'requestheader-client-ca-file',
      'service-account-key-file',
      'oidc-ca-file',
      'authentication-token-webhook-config-file',
    ];
    const signing = [
      `--service-account-signing-key-file=${file('public.pem', pem(rsa.publicKey, 'spki'))}`,
      '--service-account-issuer=https://x',
    ];
    assert.throws(
      () => build(...named.map((option) => `--${option}=${bad}`), ...signing),
      (error) => {
        assert(error instanceof OptionsError);
        assert.deepEqual([...error.problems].sort(), [
          `--authentication-token-webhook-config-file=${bad}: no configuration has been provided`,
          `--basic-auth-file=${bad}: line 1 must have at least 3 columns (secret, user name, user uid), found 1`,
          `--client-ca-file=${bad}: holds no PEM certificate`,
          `--oidc-ca-file=${bad}: holds no PEM certificate`,
          `--requestheader-client-ca-file=${bad}: holds no PEM certificate`,
          `--service-account-key-file=${bad}: holds no PEM key`,
          `--service-account-signing-key-file=${path.join(dir, 'public.pem')}: holds no PEM private key that can be read`,
          `--token-auth-file=${bad}: line 1 must have at least 3 columns (secret, user name, user uid), found 1`,
        ]);
        return true;
      },
    );
  });

  it('issues tokens with a signing key, and not without', async () => {
    const key = file('sa.key', pem(ec.privateKey, 'pkcs8'));
    const signs = [
      `--service-account-signing-key-file=${key}`,
      `--service-account-key-file=${key}`,
      '--service-account-issuer=https://first',
      '--service-account-issuer=https://second',
    ];
    const { serviceAccounts } = build(
      ...signs,
      '--service-account-max-token-expiration=2h',
      '--service-account-extend-token-expiration=false',
    );
    const { defaultAudiences, validSecondsMax, extendsExpiry } = serviceAccounts.issuer!;
    assert.deepEqual(
      [defaultAudiences, validSecondsMax, extendsExpiry],
      [['https://first', 'https://second'], 7200, false],
    );
    assert.deepEqual(build(...signs, '--service-account-api-audiences=a,b').serviceAccounts.audiences, ['a', 'b']);
    const keysOf = ({ serviceAccounts: { openIdDocument } }: Authentication) =>
      JSON.parse(openIdDocument?.('/openid/v1/jwks')?.body ?? '{"keys":[]}').keys.map(
        ({ kty }: { kty: string }) => kty,
      );
    assert.deepEqual(keysOf(build(...signs)), ['EC']);
    assert.deepEqual(
      keysOf(build(...signs, `--service-account-key-file=${file('rsa.pem', pem(rsa.publicKey, 'spki'))}`)),
      ['EC', 'RSA'],
    );
    assert.equal(build().serviceAccounts.issuer, undefined);
    assert.equal(build().serviceAccounts.openIdDocument, undefined);
    assert.deepEqual(keysOf(build('--service-account-issuer=https://x')), ['RSA']);
  });
});
