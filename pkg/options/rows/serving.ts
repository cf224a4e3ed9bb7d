import { oneOf, port, regularExpression, routableIp } from '../checks.ts';
import { checkCipherSuite, cipherSuiteNames } from '../cipher-suites.ts';
import { optionGroup } from '../option.ts';

/** The secure port and its TLS. */
export const servingOptions = optionGroup('TLS and network', [
  { name: 'secure-port', type: 'int', default: '6443', check: port, help: 'HTTPS port; with up, 0 picks a free one' },
  {
    name: 'bind-address',
    type: 'ip',
    default: '0.0.0.0',
    defaults: { up: '127.0.0.1' },
    help: 'Address to listen on; empty: all interfaces, over IPv4 and, where the machine has it, IPv6',
  },
  {
    name: 'advertise-address',
    type: 'ip',
    check: routableIp,
    help: 'Address that members of the cluster use; by default the bind address, or the first of the host',
  },
  {
    name: 'external-hostname',
    type: 'string',
    help: 'Host name, with a port where it is not the usual one, in URLs of this server for clients outside of the cluster',
  },
  {
    name: 'cert-dir',
    type: 'string',
    default: '/var/run/kubernetes',
    defaults: { up: '' },
    help: 'Directory in which a self-signed pair is saved when no certificate is given; with up, pki in the data directory',
  },
  {
    name: 'tls-cert-file',
    type: 'string',
    file: true,
    help: 'Certificate of the secure port (PEM), those of its authorities after it',
  },
  { name: 'tls-private-key-file', type: 'string', file: true, help: 'Private key of that certificate' },
  {
    name: 'tls-sni-cert-key',
    type: 'namedCertKey',
    check: namedPair,
    help: 'certificate,key[:pattern,...]: another pair for clients that ask for names that match; may be given several times. Exact names win over wildcards, patterns over the names in the certificate',
  },
  {
    name: 'tls-min-version',
    type: 'string',
    check: oneOf('VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'),
    help: 'Oldest TLS version spoken: VersionTLS10, VersionTLS11, VersionTLS12 (the default), VersionTLS13',
  },
  {
    name: 'tls-cipher-suites',
    type: 'stringSlice',
    check: checkCipherSuite,
    help: `Cipher suites offered; by default those of the runtime. Known: ${cipherSuiteNames.join(', ')}`,
  },
  {
    name: 'http2-max-streams-per-connection',
    type: 'int',
    check: streams,
    help: 'Streams that one HTTP/2 connection may have open; 0: what the runtime allows',
  },
  {
    name: 'cors-allowed-origins',
    type: 'stringSlice',
    check: regularExpression,
    help: 'Origins (regular expressions) whose scripts may read answers; none: no CORS',
  },
  {
    name: 'strict-transport-security-directives',
    type: 'stringSlice',
    check: oneOfDirectives,
    help: 'Strict-Transport-Security header of answers: max-age=SECONDS, includeSubDomains, preload',
  },
  {
    name: 'permit-port-sharing',
    type: 'bool',
    default: 'false',
    inert: 'Node sets no SO_REUSEPORT',
    help: 'Let several servers listen on one port',
  },
  {
    name: 'permit-address-sharing',
    type: 'bool',
    default: 'false',
    inert: 'Node sets SO_REUSEADDR already',
    help: 'Listen on an address whose old connections are not gone yet',
  },
]);

/** The setting of HTTP/2 has 32 bits (RFC 9113, section 6.5.1). */
function streams(value: string): string | undefined {
  return Number(value) >= 0 && Number(value) <= 0xffff_ffff ? undefined : 'must be from 0 to 4294967295';
}

function namedPair(value: string): string | undefined {
  return /^[^,:]+,[^,:]+(:[^:]+)?$/.test(value)
    ? undefined
    : 'must be certificate,key or certificate,key:pattern,pattern';
}

function oneOfDirectives(value: string): string | undefined {
  return /^(max-age=\d+|includeSubDomains|preload)$/.test(value)
    ? undefined
    : 'must be max-age=SECONDS, includeSubDomains or preload';
}
