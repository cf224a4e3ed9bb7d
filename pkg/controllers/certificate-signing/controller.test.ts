import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, webcrypto, X509Certificate } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { AuthorityPair } from '../../api/certificates/issuer.ts';
import { certificateSigningRequests } from '../../api/certificates/tokens.ts';
import type { CertificateSigningRequest } from '../../generated/types/certificates-v1.ts';
import { TestAuthority } from '../../net/certificates-testing.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { certificateSigningController } from './controller.ts';

const CLIENT = 'kubernetes.io/kube-apiserver-client';
const NODE_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const SERVING = 'kubernetes.io/kubelet-serving';
const LEGACY = 'kubernetes.io/legacy-unknown';
const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;

const algorithms = {
  ecdsa: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2048,
  },
} as const;

async function requestPem(
  subject: string,
  names: readonly { type: 'dns' | 'ip' | 'email' | 'url'; value: string }[] = [],
  algorithm: keyof typeof algorithms = 'ecdsa',
): Promise<string> {
  const keys = (await webcrypto.subtle.generateKey(algorithms[algorithm], true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: algorithms[algorithm],
    extensions: [
      // What a request asks for besides names is not taken over.
      new x509.BasicConstraintsExtension(true, 1, true),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension([...names])]),
    ],
  });
  return request.toString('pem');
}

describe('the certificate signing controller', () => {
  let authority: TestAuthority;
  let fixture: ControllersFixture;
  before(async () => (authority = await TestAuthority.create('O=Some,CN=signer')));
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());

  const start = async (signed: Partial<AuthorityPair> = {}): Promise<void> => {
    const pair = { certificate: authority.pem, privateKey: authority.keyPem, ...signed };
    const authorities = new Map([CLIENT, NODE_CLIENT, SERVING, LEGACY].map((signer) => [signer, () => pair]));
    const config = { signing: { durationMs: YEAR_MS, authorities } } as unknown as ControllersConfig;
    await fixture.start(certificateSigningController.create(fixture.context, config)!);
  };
  it('signs with what files of its authority hold by now, and with what they held while they cannot sign', async () => {
    const other = await TestAuthority.create('CN=second');
    let pair = { certificate: authority.pem, privateKey: authority.keyPem };
    const authorities = new Map([[CLIENT, () => pair]]);
    const config = { signing: { durationMs: YEAR_MS, authorities } } as unknown as ControllersConfig;
    await fixture.start(certificateSigningController.create(fixture.context, config)!);
    const issuers: string[] = [];
    for (const [certificate, privateKey] of [
      [other.pem, authority.keyPem],
      [other.pem, other.keyPem],
    ] as const) {
      pair = { certificate, privateKey };
      issuers.push(
        certificateOf(await sign(await requestPem('CN=jane'), {}))
          .issuer.split('\n')
          .at(-1)!,
      );
      await fixture.client.delete(certificateSigningRequests, { name: 'one' });
    }
    assert.deepEqual(issuers, ['CN=signer', 'CN=second']);
    assert.equal(fixture.errors.length, 1);
    assert.match(fixture.errors[0]!, /kube-apiserver-client: the private key is not that of the signing certificate/);
  });

  const sign = async (
    pem: string,
    spec: Partial<CertificateSigningRequest['spec']>,
    types: readonly string[] = ['Approved'],
  ): Promise<CertificateSigningRequest> => {
    const conditions = types.map((type) => ({
      type,
      status: 'True',
      lastUpdateTime: null,
      lastTransitionTime: null,
    }));
    await fixture.client.create(certificateSigningRequests, {
      metadata: { name: 'one' },
      spec: { request: Buffer.from(pem).toString('base64'), signerName: CLIENT, usages: ['client auth'], ...spec },
      status: {},
    });
    const created = await fixture.client.get(certificateSigningRequests, { name: 'one' });
    await fixture.client.update(
      certificateSigningRequests,
      { ...created, status: { conditions } },
      { subresource: 'approval' },
    );
    await fixture.clock.advance(0);
    return fixture.client.get(certificateSigningRequests, { name: 'one' });
  };
  const certificateOf = ({ status }: CertificateSigningRequest): X509Certificate =>
    new X509Certificate(Buffer.from(status.certificate!, 'base64'));
  const problemOf = ({ status }: CertificateSigningRequest): unknown => {
    assert.equal(status.certificate, undefined);
    return status.conditions
      ?.filter(({ type }) => type === 'Failed')
      .map(({ reason, message }) => [reason, message])[0];
  };

  it('signs the key, the subject and the usages, and makes no authority', async () => {
    await start();
    const pem = await requestPem('CN=jane,O=staff,O=büro,OU=team');
    const certificate = certificateOf(
      await sign(pem, { usages: ['digital signature', 'key encipherment', 'client auth'] }),
    );
    assert.ok(certificate.verify(new X509Certificate(authority.pem).publicKey));
    assert.ok(certificate.checkIssued(new X509Certificate(authority.pem)));
    assert.equal(certificate.ca, false);
    assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.2']);
    assert.deepEqual(new x509.X509Certificate(certificate.raw).subject, 'O=büro+O=staff, OU=team, CN=jane');
    const read = new x509.X509Certificate(certificate.raw);
    const flags = read.getExtension(x509.KeyUsagesExtension)!;
    assert.equal(flags.usages, x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment);
    assert.deepEqual([flags.critical, read.getExtension(x509.BasicConstraintsExtension)!.critical], [true, true]);
    const request = new x509.Pkcs10CertificateRequest(pem);
    assert.deepEqual(Buffer.from(read.publicKey.rawData), Buffer.from(request.publicKey.rawData));
    assert.deepEqual(fixture.errors, []);
  });

  for (const [expirationSeconds, fromMin, toMin] of [
    [undefined, -5, YEAR_MS / MINUTE_MS - 5],
    [3600, -5, 60],
    [60, -5, 10],
    [24 * 3600, -5, 24 * 60 - 5],
    [10 * 365 * 24 * 3600, -5, YEAR_MS / MINUTE_MS - 5],
  ] as const) {
    it(`is valid for ${expirationSeconds ?? 'no requested'} seconds within bounds`, async () => {
      const long = await longAuthority();
      await start(long);
      const pem = await requestPem('CN=jane');
      const certificate = certificateOf(await sign(pem, expirationSeconds === undefined ? {} : { expirationSeconds }));
      const minutes = (text: string): number => (Date.parse(text) - fixture.clock.wallMs()) / MINUTE_MS;
      assert.deepEqual([minutes(certificate.validFrom), minutes(certificate.validTo)], [fromMin, toMin]);
    });
  }

  it('is valid no longer than its authority', async () => {
    const end = new Date(fixture.clock.wallMs() + 2 * 3600_000);
    await start(await longAuthority(end));
    const certificate = certificateOf(await sign(await requestPem('CN=jane'), {}));
    assert.equal(Date.parse(certificate.validTo), end.getTime());
  });

  it('carries the names of a serving certificate', async () => {
    await start();
    const names = [
      { type: 'ip', value: '192.0.2.1' },
      { type: 'dns', value: 'node.example' },
      { type: 'ip', value: '2001:db8::1' },
    ] as const;
    const pem = await requestPem('O=system:nodes,CN=system:node:n', names, 'rsa');
    const usages = ['digital signature', 'key encipherment', 'server auth'];
    const certificate = certificateOf(await sign(pem, { signerName: SERVING, usages }));
    assert.equal(certificate.subjectAltName, 'DNS:node.example, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1');
  });

  for (const [what, signerName, subject, names, usages, message] of [
    [
      'another organization',
      SERVING,
      'CN=system:node:n',
      [],
      ['server auth'],
      'subject organization is not system:nodes',
    ],
    [
      'no name to serve',
      SERVING,
      'O=system:nodes,CN=system:node:n',
      [],
      ['digital signature', 'server auth'],
      'DNS or IP subjectAltName is required',
    ],
    [
      'a mail address to serve',
      SERVING,
      'O=system:nodes,CN=system:node:n',
      [
        { type: 'dns', value: 'a' },
        { type: 'email', value: 'a@example.org' },
      ],
      ['digital signature', 'server auth'],
      'Email subjectAltNames are not allowed',
    ],
    [
      'a host name of a client',
      NODE_CLIENT,
      'O=system:nodes,CN=system:node:n',
      [{ type: 'dns', value: 'a' }],
      ['digital signature', 'client auth'],
      'DNS subjectAltNames are not allowed',
    ],
    [
      'a name that is no node',
      NODE_CLIENT,
      'O=system:nodes,CN=n',
      [],
      ['digital signature', 'client auth'],
      'subject common name does not begin with system:node:',
    ],
    [
      'usages of a server',
      NODE_CLIENT,
      'O=system:nodes,CN=system:node:n',
      [],
      ['digital signature', 'server auth'],
      'usages did not match [client auth digital signature key encipherment]',
    ],
    ['a client to serve', CLIENT, 'CN=a', [], ['server auth'], 'invalid usage for client certificate: server auth'],
    [
      'a client without its usage',
      CLIENT,
      'CN=a',
      [],
      ['digital signature'],
      'missing required usage for client certificate: client auth',
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      await start();
      const refused = await sign(await requestPem(subject, names), { signerName, usages: [...usages] });
      assert.deepEqual(problemOf(refused), ['SignerValidationFailure', message]);
    });
  }

  it('leaves what is not approved, denied or of another signer', async () => {
    await start();
    const pem = await requestPem('CN=jane');
    for (const [spec, types] of [
      [{}, []],
      [{}, ['Approved', 'Denied']],
      [{ signerName: 'example.org/mine' }, ['Approved']],
    ] as const) {
      assert.equal(problemOf(await sign(pem, spec, types)), undefined);
      await fixture.client.delete(certificateSigningRequests, { name: 'one' });
    }
  });

  it('takes any request and usage for the legacy signer, but no usage that is unknown', async () => {
    await start();
    const usages = ['any', 'cert sign', 'decipher only', 'netscape sgc', 's/mime', 'email protection'];
    const signed = await sign(await requestPem(''), { signerName: LEGACY, usages });
    const read = new x509.X509Certificate(certificateOf(signed).raw);
    assert.equal(
      read.getExtension(x509.KeyUsagesExtension)!.usages,
      x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.decipherOnly,
    );
    assert.deepEqual(Array.from(read.getExtension(x509.ExtendedKeyUsageExtension)!.usages), [
      '2.5.29.37.0',
      '1.3.6.1.5.5.7.3.4',
      '2.16.840.1.113730.4.1',
    ]);
    await fixture.client.delete(certificateSigningRequests, { name: 'one' });
    assert.equal(problemOf(await sign(await requestPem('CN=a'), { signerName: LEGACY, usages: ['odd'] })), undefined);
    assert.match(fixture.errors.join(), /unrecognized usage values: odd/);
  });

  it('does not begin with the key of another authority', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const other = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    return assert.rejects(start({ privateKey: other }), /the private key is not that of the signing certificate/);
  });

  /** One that outlives what it signs. */
  async function longAuthority(notAfter = new Date(Date.UTC(2060, 0))): Promise<AuthorityPair> {
    const keys = (await webcrypto.subtle.generateKey(algorithms.rsa, true, [
      'sign',
      'verify',
    ])) as webcrypto.CryptoKeyPair;
    const made = await x509.X509CertificateGenerator.createSelfSigned({
      name: 'CN=long',
      keys,
      signingAlgorithm: algorithms.rsa,
      serialNumber: '01',
      notBefore: new Date(0),
      notAfter,
      extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
    });
    const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    return { certificate: made.toString('pem'), privateKey: String(key.export({ type: 'pkcs8', format: 'pem' })) };
  }
});
