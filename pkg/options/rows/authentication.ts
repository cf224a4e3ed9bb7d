import { durationMs } from '../../apimachinery/values/duration.ts';
import { oneOf, pairWithKey, urlWith } from '../checks.ts';
import { optionGroup } from '../option.ts';

/** The asymmetric algorithms of RFC 7518 section 3.1. */
const signingAlgorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'] as const;

/** Issuer that a cluster's own tokens name where none is given: the name under which pods reach the API server. */
const clusterIssuer = 'https://kubernetes.default.svc';

/** Options of authentication. */
export const authenticationOptions = optionGroup('Authentication', [
  {
    name: 'anonymous-auth',
    type: 'bool',
    default: 'true',
    help: 'Requests that no authenticator rejects come from system:anonymous in the group system:unauthenticated',
  },
  {
    name: 'basic-auth-file',
    type: 'string',
    file: true,
    deprecated: 'passwords in plain text; use --token-auth-file, certificates or an issuer',
    help: 'File of password,user,uid[,"group1,group2"] lines for HTTP basic authentication',
  },
  {
    name: 'token-auth-file',
    type: 'string',
    file: true,
    help: 'File of token,user,uid[,"group1,group2"] lines for bearer tokens',
  },
  {
    name: 'token-file',
    type: 'string',
    components: ['apiserver'],
    file: true,
    help: 'File with the bearer token of an administrator',
  },
  {
    name: 'client-ca-file',
    type: 'string',
    file: true,
    help: 'Authorities (PEM) whose client certificates name a user by common name and groups by organization. `up` has one of its own by default, which signs the certificates of clients that are requested',
  },
  {
    name: 'enable-bootstrap-token-auth',
    aliases: ['experimental-bootstrap-token-auth'],
    type: 'bool',
    default: 'false',
    help: 'Secrets of type bootstrap.kubernetes.io/token in kube-system are bearer tokens',
  },
  {
    name: 'authentication-token-webhook-config-file',
    type: 'string',
    file: true,
    help: 'Cluster-config file of a remote service that authenticates bearer tokens',
  },
  {
    name: 'authentication-token-webhook-cache-ttl',
    type: 'duration',
    default: '2m0s',
    help: 'How long answers of that service are remembered',
  },
  {
    name: 'authentication-token-webhook-version',
    type: 'string',
    default: 'v1beta1',
    check: oneOf('v1', 'v1beta1'),
    help: 'Version of the TokenReview sent to that service',
  },
  {
    name: 'oidc-issuer-url',
    type: 'string',
    check: urlWith('https'),
    help: 'URL of the OpenID issuer whose identity tokens are bearer tokens',
  },
  { name: 'oidc-client-id', type: 'string', help: 'Client ID that the tokens must be made for; needed with an issuer' },
  {
    name: 'oidc-ca-file',
    type: 'string',
    file: true,
    help: 'Authorities that verify the issuer; by default those of the host',
  },
  { name: 'oidc-username-claim', type: 'string', default: 'sub', help: 'Claim that is the user name' },
  {
    name: 'oidc-username-prefix',
    type: 'string',
    help: 'Put before user names; by default the issuer URL and # for claims other than email; - puts nothing',
  },
  { name: 'oidc-groups-claim', type: 'string', help: 'Claim that lists groups, a text or a list of texts' },
  { name: 'oidc-groups-prefix', type: 'string', help: 'Put before groups' },
  {
    name: 'oidc-required-claim',
    type: 'mapStringString',
    whole: true,
    check: pairWithKey,
    help: 'claim=value that a token must have; may be given several times',
  },
  {
    name: 'oidc-signing-algs',
    type: 'stringSlice',
    default: 'RS256',
    check: oneOf(...signingAlgorithms),
    help: 'Algorithms (RFC 7518, 3.1) with which tokens may be signed',
  },
  {
    name: 'service-account-key-file',
    type: 'stringArray',
    file: true,
    help: 'Key (PEM, RSA or ECDSA, private or public) that verifies service-account tokens; may be given several times. By default the private key of the secure port',
  },
  {
    name: 'service-account-signing-key-file',
    type: 'string',
    file: true,
    help: 'Private key that signs the tokens that are issued. Turns on the feature TokenRequest unless that is turned off',
  },
  {
    name: 'service-account-issuer',
    type: 'stringArray',
    defaults: { up: clusterIssuer },
    check: issuer,
    help: 'The issuer that tokens name; of several the first is written and all are accepted',
  },
  {
    name: 'service-account-api-audiences',
    aliases: ['api-audiences'],
    type: 'stringSlice',
    help: 'Audiences of this API: a bound token must be made for one of them. By default the issuers',
  },
  {
    name: 'service-account-lookup',
    type: 'bool',
    default: 'true',
    help: 'Tokens of service accounts are refused when their account or secret is gone',
  },
  {
    name: 'service-account-max-token-expiration',
    type: 'duration',
    check: tokenValidity,
    help: 'Longest validity of an issued token, at least an hour; a request for more gets this; 0: no limit',
  },
  {
    name: 'service-account-extend-token-expiration',
    type: 'bool',
    default: 'true',
    help: 'Tokens that a pod mounts at the usual place stay valid for a year, so that clients which never read them again go on working',
  },
  {
    name: 'service-account-jwks-uri',
    type: 'string',
    check: urlWith('https'),
    help: 'Where the discovery document of the issuer says that its keys are',
  },
  {
    name: 'requestheader-username-headers',
    type: 'stringSlice',
    help: 'Headers that hold the user name, in order; X-Remote-User is common',
  },
  {
    name: 'requestheader-group-headers',
    type: 'stringSlice',
    help: 'Headers that hold groups; X-Remote-Group is common',
  },
  {
    name: 'requestheader-extra-headers-prefix',
    type: 'stringSlice',
    help: 'Beginnings of headers that hold more about the user; X-Remote-Extra- is common',
  },
  {
    name: 'requestheader-client-ca-file',
    type: 'string',
    file: true,
    help: 'Authorities of the client certificates of proxies whose headers are believed',
  },
  { name: 'requestheader-allowed-names', type: 'stringSlice', help: 'Common names of these certificates; none: any' },
  {
    name: 'proxy-client-cert-file',
    type: 'string',
    file: true,
    help: 'Client certificate with which this server calls extension servers and webhooks',
  },
  { name: 'proxy-client-key-file', type: 'string', file: true, help: 'Private key of that certificate' },
]);

function issuer(value: string): string | undefined {
  if (!value.includes(':')) return undefined;
  return URL.canParse(value) ? undefined : 'must be a URI, or a text without a colon';
}

/** Longer ones are in no valid request. */
const VALIDITY_SECONDS_MAX = 2 ** 32;

function tokenValidity(value: string): string | undefined {
  const seconds = durationMs(value)! / 1000;
  return seconds === 0 || (seconds >= 3600 && seconds <= VALIDITY_SECONDS_MAX)
    ? undefined
    : 'must be from 1 hour to 2^32 seconds, or 0';
}
