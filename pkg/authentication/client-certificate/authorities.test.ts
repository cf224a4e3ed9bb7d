import assert from 'node:assert/strict';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { readAuthorities } from './authorities.ts';

describe('readAuthorities', () => {
  let one: TestAuthority;
  let other: TestAuthority;
  before(async () => {
    [one, other] = await Promise.all([TestAuthority.create('CN=one'), TestAuthority.create('CN=other')]);
  });

  const subjects = (pem: string): string[] => readAuthorities(pem).certificates.map(({ subject }) => subject);

  it('reads every certificate of a bundle, with any text between them', () => {
    assert.deepEqual(subjects(one.pem), ['CN=one']);
    assert.deepEqual(subjects(`# ours\n${one.pem}\nSubject: other\n${other.pem}${one.keyPem}`), ['CN=one', 'CN=other']);
  });

  it('reports errors', () => {
    const broken = `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
    for (const [pem, message] of [
      ['', 'holds no PEM certificate'],
      [one.keyPem, 'holds no PEM certificate'],
      [one.pem + broken, 'holds a PEM certificate that cannot be read'],
      [one.pem + other.pem.slice(0, 300), 'holds a PEM certificate that breaks off'],
      [one.pem.slice(0, 300), 'holds a PEM certificate that breaks off'],
    ] as const)
      assert.throws(() => readAuthorities(pem), { message });
  });
});
