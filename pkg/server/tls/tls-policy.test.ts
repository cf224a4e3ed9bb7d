import 'reflect-metadata';
import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls, { createSecureContext, DEFAULT_CIPHERS } from 'node:tls';
import * as x509 from '@peculiar/x509';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { apiServerOptions } from '../../options/api-server-options.ts';
import { checkCipherSuite, cipherSuiteNames, openSslCipher } from '../../options/cipher-suites.ts';
import { parseOptions } from '../../options/parse-options.ts';
import { tlsPolicy, type TlsPolicy } from './tls-policy.ts';

const policyFor = (...args: string[]): TlsPolicy => tlsPolicy(parseOptions(apiServerOptions, 'up', args));
const ALL_OF_13 = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'];

describe('tlsPolicy', () => {
  it('speaks TLS 1.2 and above with the suites of the runtime where options say nothing', () => {
    assert.deepEqual(policyFor(), { minVersion: 'TLSv1.2', ciphers: DEFAULT_CIPHERS });
  });

  const versions: readonly (readonly [named: string, minVersion: string, isWeak: boolean])[] = [
    ['VersionTLS10', 'TLSv1', true],
    ['VersionTLS11', 'TLSv1.1', true],
    ['VersionTLS12', 'TLSv1.2', false],
    ['VersionTLS13', 'TLSv1.3', false],
  ];
  for (const [named, minVersion, isWeak] of versions) {
    it(`reads ${named}${isWeak ? ', and lowers the level of security, without which it cannot be spoken' : ''}`, () => {
      const policy = policyFor(`--tls-min-version=${named}`);
      assert.equal(policy.minVersion, minVersion);
      assert.equal(policy.ciphers.endsWith(':@SECLEVEL=0'), isWeak);
    });
  }

  const suites: readonly (readonly [rule: string, named: string, ciphers: readonly string[]])[] = [
    [
      'offers what is named in its order, by the names of OpenSSL',
      'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
      [...ALL_OF_13, 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
    ],
    [
      'leaves TLS 1.3 as it is where none of its suites is named',
      'TLS_RSA_WITH_AES_128_CBC_SHA',
      [...ALL_OF_13, 'AES128-SHA'],
    ],
    [
      'offers no others of TLS 1.3 where one is named',
      'TLS_AES_128_GCM_SHA256,TLS_RSA_WITH_AES_128_CBC_SHA',
      ['TLS_AES_128_GCM_SHA256', 'AES128-SHA'],
    ],
    ['may offer suites of TLS 1.3 alone', 'TLS_CHACHA20_POLY1305_SHA256', ['TLS_CHACHA20_POLY1305_SHA256']],
    [
      'knows both names of ChaCha20',
      'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
      [...ALL_OF_13, 'ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
    ],
  ];
  for (const [rule, named, ciphers] of suites) {
    it(rule, () => {
      const policy = policyFor(`--tls-cipher-suites=${named}`);
      assert.deepEqual(policy.ciphers.split(':'), ciphers);
      assert.doesNotThrow(() => createSecureContext(policy));
    });
  }

  describe('of a suite that is not refused at the start', () => {
    let pairs: Record<'ECDSA' | 'RSA', { cert: string; key: string }>;
    before(async () => {
      const { pem, keyPem } = await (await TestAuthority.create()).sign({ subject: 'CN=ecdsa' });
      pairs = { ECDSA: { cert: pem, key: keyPem }, RSA: await rsaPair() };
    });

    for (const suite of cipherSuiteNames.filter((name) => checkCipherSuite(name) === undefined)) {
      it(`lets clients speak ${suite}, and nothing else`, async () => {
        const isTls13 = suite.startsWith('TLS_AES') || suite.startsWith('TLS_CHACHA');
        const version = isTls13 ? 'TLSv1.3' : 'TLSv1.2';
        const server = tls.createServer(
          { ...pairs[suite.includes('ECDSA') ? 'ECDSA' : 'RSA'], ...policyFor(`--tls-cipher-suites=${suite}`) },
          (socket) => socket.end(),
        );
        server.on('tlsClientError', () => undefined);
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        const spoken = async (ciphers: string): Promise<string> => {
          const socket = tls.connect({
            port: (server.address() as AddressInfo).port,
            host: '127.0.0.1',
            rejectUnauthorized: false,
            minVersion: version,
            maxVersion: version,
            ciphers,
          });
          await once(socket, 'secureConnect');
          const { name } = socket.getCipher();
          socket.destroy();
          return name;
        };
        assert.equal(await spoken(`${DEFAULT_CIPHERS}:ALL:@SECLEVEL=0`), openSslCipher(suite));
        const others = isTls13
          ? ALL_OF_13.filter((name) => name !== suite).join(':')
          : `ALL:!${openSslCipher(suite)}:@SECLEVEL=0`;
        await assert.rejects(spoken(others), /handshake failure|no shared cipher|no ciphers/i);
        server.close();
        await once(server, 'close');
      });
    }
  });

  it('is one that OpenSSL takes together with a version', () => {
    assert.doesNotThrow(() =>
      createSecureContext(
        policyFor('--tls-min-version=VersionTLS10', '--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA'),
      ),
    );
  });
});

/** For the suites of RSA. */
async function rsaPair(): Promise<{ cert: string; key: string }> {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2048,
  };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=rsa',
    keys,
    signingAlgorithm: algorithm,
    serialNumber: '01',
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3600_000),
  });
  return {
    cert: certificate.toString('pem'),
    key: x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY'),
  };
}
