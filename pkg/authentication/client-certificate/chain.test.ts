import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { CLIENT_AUTH, SERVER_AUTH, TestAuthority, type CertificateWish } from '../../net/certificates-testing.ts';
import { findChain, type ChainResult } from './chain.ts';

describe('findChain', () => {
  const now = Date.now();
  const hour = 3600_000;
  let root: TestAuthority;
  const parse = ({ pem }: TestAuthority): X509Certificate => new X509Certificate(pem);

  before(async () => {
    root = await TestAuthority.create('CN=root');
  });

  /** The certificate as a connection shows it: each one refers to the next. */
  function shown(...chain: TestAuthority[]): X509Certificate {
    const certificates = chain.map(parse);
    for (const [i, certificate] of certificates.entries())
      Object.defineProperty(certificate, 'issuerCertificate', { value: certificates[i + 1], configurable: true });
    return certificates[0]!;
  }

  const client: CertificateWish = { subject: 'CN=alice', extendedKeyUsages: [CLIENT_AUTH] };
  const look = (certificate: X509Certificate, authorities: readonly TestAuthority[] = [root], at = now): ChainResult =>
    findChain(certificate, authorities.map(parse), at);
  const problem = (result: ChainResult): string => ('problem' in result ? result.problem : 'none');

  it('finds the authority that signed, with the times of the whole chain', async () => {
    const notAfter = new Date(Math.floor(now / 1000) * 1000 + hour);
    const other = await TestAuthority.create('CN=root');
    const found = look(shown(await root.sign({ ...client, notAfter })), [other, root]);
    assert.equal('notAfterMs' in found && found.notAfterMs, notAfter.getTime());
    for (const wish of [
      { ...client, extendedKeyUsages: undefined },
      { ...client, extendedKeyUsages: [SERVER_AUTH, CLIENT_AUTH] },
      { ...client, extendedKeyUsages: ['2.5.29.37.0'] },
    ]) {
      assert.equal(problem(look(shown(await root.sign(wish)))), 'none');
    }
  });

  it('compares only names and signature where an authority was renewed', async () => {
    const serial = new x509.AuthorityKeyIdentifierExtension({
      name: new x509.GeneralNames([{ type: 'dn', value: 'CN=root' }]),
      serialNumber: '0badcafe',
    });
    assert.equal(problem(look(shown(await root.sign({ ...client, extensions: [serial] })))), 'none');
    const renewed = await root.sign({
      subject: 'CN=renewed',
      authority: {},
      extensions: [new x509.SubjectKeyIdentifierExtension('11'.repeat(20))],
    });
    const leaf = await renewed.sign({
      ...client,
      extensions: [new x509.AuthorityKeyIdentifierExtension('22'.repeat(20))],
    });
    assert.equal(problem(look(shown(leaf, renewed))), 'none');
    const namesake = await TestAuthority.create('CN=root');
    assert.equal(
      problem(look(shown(await namesake.sign({ ...client, extensions: [serial] })))),
      'no authority signed it',
    );
  });

  it('follows the intermediate authorities that the client sent', async () => {
    const first = await root.sign({ subject: 'CN=first', authority: {} });
    const second = await first.sign({ subject: 'CN=second', authority: {}, extendedKeyUsages: [CLIENT_AUTH] });
    const leaf = await second.sign(client);
    assert.equal(problem(look(shown(leaf, second, first))), 'none');
    assert.equal(problem(look(shown(leaf, first, second))), 'none');
    assert.equal(problem(look(shown(leaf, second, first, root))), 'none');
    assert.equal(problem(look(shown(leaf, second))), 'no authority signed it');
    assert.equal(problem(look(shown(leaf, second), [first])), 'none');
  });

  it('takes a certificate that is itself trusted', async () => {
    const leaf = await root.sign(client);
    assert.equal(problem(look(shown(leaf), [leaf])), 'none');
  });

  it('refuses signatures that can be forged, except of a certificate that is itself trusted', async () => {
    const forgeable = 'a signature in its chain could be forged';
    for (const hash of ['SHA-384', 'SHA-512'] as const)
      assert.equal(problem(look(shown(await root.sign({ ...client, hash })))), 'none', hash);
    const old = await root.sign({ ...client, hash: 'SHA-1' });
    assert.equal(problem(look(shown(old))), forgeable);
    assert.equal(problem(look(shown(old), [old])), 'none');
    const middle = await root.sign({ subject: 'CN=middle', authority: {}, hash: 'SHA-1' });
    const leaf = await middle.sign(client);
    assert.equal(problem(look(shown(leaf, middle))), forgeable);
    assert.equal(problem(look(shown(leaf), [middle])), 'none');
  });

  it('refuses certificates without a trusted authority', async () => {
    const other = await TestAuthority.create('CN=root');
    assert.equal(problem(look(shown(await other.sign(client)))), 'no authority signed it');
    assert.equal(problem(look(shown(await other.sign(client), other))), 'no authority signed it');
    assert.equal(problem(look(shown(await root.sign(client)), [])), 'no authority signed it');
  });

  it('refuses expired certificates, authorities included', async () => {
    const leaf = shown(await root.sign({ ...client, notBefore: new Date(now - hour), notAfter: new Date(now + hour) }));
    assert.equal(problem(look(leaf, [root], now - hour - 2000)), 'it or an authority of it is not valid yet');
    assert.equal(problem(look(leaf, [root], now + hour + 2000)), 'it or an authority of it has expired');
    const expired = await root.sign({ subject: 'CN=old', authority: {}, notAfter: new Date(now - hour) });
    assert.equal(problem(look(shown(await expired.sign(client), expired))), 'it or an authority of it has expired');
  });

  it('refuses certificates that are not for clients', async () => {
    assert.equal(
      problem(look(shown(await root.sign({ ...client, extendedKeyUsages: [SERVER_AUTH] })))),
      'it is not for clients',
    );
    const servers = await root.sign({ subject: 'CN=servers', authority: {}, extendedKeyUsages: [SERVER_AUTH] });
    assert.equal(problem(look(shown(await servers.sign(client), servers))), 'it is not for clients');
  });

  it('refuses certificates that sign without being authorities', async () => {
    const mallory = await root.sign({ ...client, subject: 'CN=mallory', keyUsages: x509.KeyUsageFlags.keyCertSign });
    assert.equal(
      problem(look(shown(await mallory.sign(client), mallory))),
      'a certificate of its chain is no authority',
    );
    const cannotSign = await root.sign({
      subject: 'CN=ca',
      authority: {},
      keyUsages: x509.KeyUsageFlags.digitalSignature,
    });
    assert.equal(problem(look(shown(await cannotSign.sign(client), cannotSign))), 'no authority signed it');
  });

  it('refuses longer chains than an authority allows', async () => {
    const last = await root.sign({ subject: 'CN=last', authority: { pathLength: 0 } });
    assert.equal(problem(look(shown(await last.sign(client), last))), 'none');
    const beyond = await last.sign({ subject: 'CN=beyond', authority: {} });
    assert.equal(
      problem(look(shown(await beyond.sign(client), beyond, last))),
      'an authority of its chain may not sign authorities',
    );
  });

  it('refuses unknown critical extensions', async () => {
    const odd = new x509.Extension('1.2.3.4', true, new Uint8Array([5, 0]));
    assert.equal(
      problem(look(shown(await root.sign({ ...client, extensions: [odd] })))),
      'it has an unknown critical extension 1.2.3.4',
    );
    assert.equal(
      problem(
        look(
          shown(
            await root.sign({ ...client, extensions: [new x509.Extension('1.2.3.4', false, new Uint8Array([5, 0]))] }),
          ),
        ),
      ),
      'none',
    );
    const constraints = new x509.Extension('2.5.29.30', true, Buffer.from('300ea00c300a82086578616d706c652e', 'hex'));
    const constrained = await root.sign({ subject: 'CN=narrow', authority: {}, extensions: [constraints] });
    assert.equal(
      problem(look(shown(await constrained.sign(client), constrained))),
      'an authority of its chain constrains names',
    );
  });

  it('ends for certificates that sign each other in circles', async () => {
    const other = await TestAuthority.create('CN=circle');
    const circle = await Promise.all(
      Array.from({ length: 9 }, () => other.sign({ subject: 'CN=circle', authority: {} })),
    );
    assert.equal(problem(look(shown(await other.sign(client), ...circle))), 'no authority signed it');
    const self = shown(await other.sign(client), other);
    Object.defineProperty(self.issuerCertificate!, 'issuerCertificate', {
      value: self.issuerCertificate,
      configurable: true,
    });
    assert.equal(problem(look(self)), 'no authority signed it');
  });
});
