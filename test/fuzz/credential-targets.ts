import { generateKeyPairSync } from 'node:crypto';
import { parseCertificateRequest } from '../../pkg/api/certificates/certificate-request.ts';
import { readDer } from '../../pkg/api/certificates/der.ts';
import { presented } from '../../pkg/authentication/authentication-testing.ts';
import type { RequestAuthenticator } from '../../pkg/authentication/authenticator.ts';
import { basicAuthFileAuthenticator } from '../../pkg/authentication/basic-auth-file/authenticator.ts';
import { bearerTokenAuthenticator } from '../../pkg/authentication/bearer-token.ts';
import { readExtensions } from '../../pkg/authentication/client-certificate/certificate-extensions.ts';
import { readNames } from '../../pkg/authentication/client-certificate/certificate-names.ts';
import { readAuthorities } from '../../pkg/authentication/client-certificate/authorities.ts';
import { readCredentials } from '../../pkg/authentication/credentials-file.ts';
import { parseJsonWebToken } from '../../pkg/authentication/jwt/json-web-token.ts';
import { parseServiceAccountUsername } from '../../pkg/authentication/service-account/account-name.ts';
import { readVerificationKeys } from '../../pkg/authentication/service-account/verification-keys.ts';
import { websocketTokenAuthenticator } from '../../pkg/authentication/websocket-token.ts';
import { TestAuthority } from '../../pkg/net/certificates-testing.ts';
import { sampleObject } from '../fixtures/sample-objects.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = `${base64url({ alg: 'RS256', kid: 'k' })}.${base64url({ iss: 'a', sub: 'system:serviceaccount:a:b', aud: ['x'], exp: 4_000_000_000, 'kubernetes.io': { namespace: 'a' } })}.c2lnbmF0dXJl`;
const request = Buffer.from(
  (sampleObject('certificates.k8s.io', 'certificatesigningrequests') as { spec: { request: string } }).spec.request,
  'base64',
).toString();
const authority = await TestAuthority.create();
const der = Buffer.from(authority.pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
const publicKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();

const everybody = { name: 'Everybody', authenticateToken: async (name: string) => ({ user: { name, groups: [] } }) };

/** A header with a credential. */
function inHeader(header: string, seed: string, authenticator: RequestAuthenticator): FuzzTarget {
  return {
    name: `${authenticator.name} in ${header}`,
    seeds: [seed],
    run: (input) =>
      authenticator.authenticate(
        presented([
          ['upgrade', 'websocket'],
          [header, input.toString('latin1')],
        ]),
      ),
  };
}

/** The headers and tokens that identify a user. */
export const credentialTargets: readonly FuzzTarget[] = [
  inHeader(
    'authorization',
    `Basic ${Buffer.from('a:b').toString('base64')}`,
    basicAuthFileAuthenticator(readCredentials('b,a,1')),
  ),
  inHeader('authorization', `Bearer ${token}`, bearerTokenAuthenticator(everybody)),
  inHeader(
    'sec-websocket-protocol',
    `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}, v4.channel.k8s.io`,
    websocketTokenAuthenticator(everybody),
  ),
  { name: 'JSON web tokens', seeds: [token], run: (input) => parseJsonWebToken(input.toString('latin1')) },
  { name: 'certificate requests', seeds: [request], run: (input) => parseCertificateRequest(input.toString('latin1')) },
  { name: 'DER', seeds: [der], run: readDer },
  { name: 'certificate extensions', seeds: [der], run: readExtensions },
  { name: 'certificate names', seeds: [der], run: readNames },
  {
    name: 'certificate authorities',
    seeds: [authority.pem],
    run: (input) => readAuthorities(input.toString('latin1')),
  },
  {
    name: 'keys of service accounts',
    seeds: [publicKey],
    run: (input) => readVerificationKeys(input.toString('latin1')),
  },
  {
    name: 'credentials files',
    seeds: ['token,user,uid,"group1,group2"\n"a ""b""",c,d\n'],
    run: (input) => readCredentials(input.toString()),
  },
  {
    name: 'user names of service accounts',
    seeds: ['system:serviceaccount:a:b'],
    run: (input) => parseServiceAccountUsername(input.toString()),
  },
];
