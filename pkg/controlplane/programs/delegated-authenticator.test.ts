import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { presented } from '../../authentication/authentication-testing.ts';
import { InvalidCredentials } from '../../authentication/authenticator.ts';
import type { Client } from '../../client/rest/client.ts';
import type { AuthenticationTrust } from '../../controllers/cluster-authentication-trust/trust.ts';
import { CLIENT_AUTH, TestAuthority } from '../../net/certificates-testing.ts';
import { DelegatedAuthenticator } from './delegated-authenticator.ts';
import type { AccessConfig } from './program-config.ts';

describe('DelegatedAuthenticator', () => {
  let authority: TestAuthority;
  let jane: X509Certificate;
  let trust: AuthenticationTrust;
  let reviews: number;
  let authenticator: DelegatedAuthenticator;
  before(async () => {
    authority = await TestAuthority.create();
    const issued = await authority.sign({ subject: 'CN=jane,O=staff', extendedKeyUsages: [CLIENT_AUTH] });
    jane = new X509Certificate(issued.pem);
  });
  beforeEach(() => {
    trust = {};
    reviews = 0;
    const requestHeader = { caFile: '', allowedNames: [], usernameHeaders: [], groupHeaders: [], extraPrefixes: [] };
    const config = { clientCaFile: '', requestHeader, tokenTtlMs: 60_000 } as unknown as AccessConfig;
    const create = (_resource: unknown, review: { spec: { token: string } }): Promise<object> => {
      reviews++;
      const known = review.spec.token === 'right';
      return Promise.resolve({ ...review, status: known ? { authenticated: true, user: { username: 'bot' } } : {} });
    };
    authenticator = new DelegatedAuthenticator({
      config,
      client: { create } as unknown as Client,
      trust: () => trust,
      tokenCache: { asked: () => undefined, fetching: () => undefined, fetched: () => undefined },
      onError: () => undefined,
    });
  });
  const userOf = async (...args: Parameters<typeof presented>) =>
    (await authenticator.authenticate(presented(...args)))?.user.name;

  it('reviews tokens, each once for a while', async () => {
    const right = [['authorization', 'Bearer right']] as const;
    assert.deepEqual([await userOf(right), await userOf(right), reviews], ['bot', 'bot', 1]);
    await assert.rejects(async () => userOf([['authorization', 'Bearer wrong']]), InvalidCredentials);
    assert.equal(await userOf(), 'system:anonymous');
  });

  it('trusts the certificates of clients that the cluster trusts, from then on', async () => {
    assert.deepEqual([await userOf([], jane), authenticator.authorities], ['system:anonymous', '']);
    trust = { clientCa: authority.pem };
    assert.deepEqual([await userOf([], jane), authenticator.authorities], ['jane', authority.pem]);
  });

  it('believes the headers of proxies that the cluster believes, and those of no other', async () => {
    const headers = [['X-Remote-User', 'alice']] as const;
    const lists = { groupHeaders: [], extraHeaderPrefixes: [] };
    const proxies = { ca: authority.pem, usernameHeaders: ['X-Remote-User'], ...lists };
    trust = { requestHeader: { ...proxies, allowedNames: ['jane'] } };
    assert.equal(await userOf(headers, jane), 'alice');
    trust = { requestHeader: { ...proxies, allowedNames: ['front'] } };
    await assert.rejects(async () => userOf(headers, jane), InvalidCredentials);
  });
});
