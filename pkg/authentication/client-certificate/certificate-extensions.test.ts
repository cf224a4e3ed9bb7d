import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { CLIENT_AUTH, TestAuthority } from '../../net/certificates-testing.ts';
import { readExtensions } from './certificate-extensions.ts';
import { DerError, derObjectIdentifier, derValues } from './der.ts';

describe('readExtensions', () => {
  let root: TestAuthority;
  before(async () => {
    root = await TestAuthority.create();
  });

  it('reads what authorities and clients have', async () => {
    const authority = await root.sign({
      subject: 'CN=ca',
      authority: { pathLength: 300 },
      extendedKeyUsages: [CLIENT_AUTH, '1.3.6.1.4.1.99999.1'],
    });
    assert.deepEqual(readExtensions(new X509Certificate(authority.pem).raw), {
      isAuthority: true,
      pathLengthMax: 300,
      maySignCertificates: true,
      extendedKeyUsages: [CLIENT_AUTH, '1.3.6.1.4.1.99999.1'],
      constrainsNames: false,
      unknownCritical: [],
    });
    const client = await root.sign({ subject: 'CN=x' });
    assert.deepEqual(readExtensions(new X509Certificate(client.pem).raw), {
      isAuthority: false,
      pathLengthMax: undefined,
      maySignCertificates: false,
      extendedKeyUsages: undefined,
      constrainsNames: false,
      unknownCritical: [],
    });
  });

  it('takes a key as one that may sign certificates where key usage is absent', () => {
    // The part of a certificate that is read: a version and no extensions.
    assert.equal(readExtensions(Buffer.from('30073005a003020102', 'hex')).maySignCertificates, true);
  });

  it('reads or refuses any bytes, and throws nothing else', () => {
    const certificate = new X509Certificate(root.pem).raw;
    const refuses = (bytes: Buffer): void => {
      try {
        readExtensions(bytes);
      } catch (error) {
        assert(error instanceof DerError, String(error));
      }
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => refuses(Buffer.from(bytes))),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.nat(certificate.length - 1), fc.nat(255), (at, octet) => {
        const changed = Buffer.from(certificate);
        changed[at] = octet;
        refuses(changed);
      }),
      { numRuns: 500 },
    );
    for (let length = 0; length < certificate.length; length += 7) refuses(certificate.subarray(0, length));
  });
});

describe('derValues', () => {
  it('refuses wrong lengths', () => {
    for (const hex of ['30', '3005', '3080', '3085ffffffffff', '3084ffffffff', '3082ff', '1f0100'])
      assert.throws(() => derValues(Buffer.from(hex, 'hex')), DerError, hex);
  });

  it('reads object identifiers', () => {
    const read = (hex: string) => derObjectIdentifier(derValues(Buffer.from(hex, 'hex'))[0]);
    assert.equal(read('06082b06010505070302'), '1.3.6.1.5.5.7.3.2');
    assert.equal(read('0603883703'), '2.999.3');
    assert.throws(() => read('060affffffffffffffffff7f'), DerError);
  });
});
