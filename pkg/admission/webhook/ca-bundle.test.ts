import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { caBundleText } from './ca-bundle.ts';

describe('caBundleText', () => {
  const read = (...parts: string[]) => caBundleText(Buffer.from(parts.join('\n')).toString('base64'));
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  const serials = (text: string) =>
    text.split(/(?<=-----END CERTIFICATE-----\n)/).map((pem) => new X509Certificate(pem).serialNumber);

  it('reads all certificates, with any text before and between them', async () => {
    const [one, other] = [(await TestAuthority.create()).pem, (await TestAuthority.create()).pem];
    const key = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';
    assert.deepEqual(
      serials(read('of the team', broken, one, key, other)),
      [one, other].map((pem) => new X509Certificate(pem).serialNumber),
    );
  });

  it('refuses what holds none', () => {
    assert.throws(() => read('none'), /^Error: unable to load root certificates: unable to parse bytes as PEM block$/);
    assert.throws(
      () => read(broken),
      /^Error: unable to load root certificates: no valid certificate authority data seen$/,
    );
  });
});
