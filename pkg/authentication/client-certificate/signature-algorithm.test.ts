import assert from 'node:assert/strict';
import { DerError } from './der.ts';
import { isSafelySigned } from './signature-algorithm.ts';

describe('isSafelySigned', () => {
  const der = (tag: number, ...content: Buffer[]): Buffer => {
    const bytes = Buffer.concat(content);
    return Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
  };
  const sequence = (...content: Buffer[]): Buffer => der(0x30, ...content);
  const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
  const signedWith = (...algorithm: Buffer[]): Buffer =>
    sequence(sequence(), sequence(...algorithm), der(0x03, Buffer.from([0])));
  const pss = oid('2a864886f70d01010a');
  const none = der(0x05);

  it('takes SHA-2 with RSA or ECDSA, and Ed25519', () => {
    for (const id of ['2a864886f70d01010b', '2a864886f70d01010c', '2a864886f70d01010d'])
      assert.equal(isSafelySigned(signedWith(oid(id), none)), true, id);
    for (const id of ['2a8648ce3d040302', '2a8648ce3d040303', '2a8648ce3d040304', '2b6570'])
      assert.equal(isSafelySigned(signedWith(oid(id))), true, id);
  });

  it('does not take MD2, MD5 and SHA-1', () => {
    for (const id of [
      '2a864886f70d010102',
      '2a864886f70d010104',
      '2a864886f70d010105',
      '2b0e03021d',
      '2a8648ce380403',
      '2a8648ce3d0401',
    ])
      assert.equal(isSafelySigned(signedWith(oid(id), none)), false, id);
  });

  it('takes RSASSA-PSS by the hash among its parameters', () => {
    const withHash = (hex: string): Buffer =>
      signedWith(pss, sequence(der(0xa0, sequence(oid(hex), none)), der(0xa2, der(0x02, Buffer.from([32])))));
    for (const hash of ['608648016503040201', '608648016503040202', '608648016503040203'])
      assert.equal(isSafelySigned(withHash(hash)), true, hash);
    assert.equal(isSafelySigned(withHash('2b0e03021a')), false);
    assert.equal(isSafelySigned(signedWith(pss, sequence())), false);
  });

  it('throws for what is no certificate', () => {
    for (const bytes of [
      Buffer.alloc(0),
      sequence(),
      sequence(sequence()),
      signedWith(),
      signedWith(pss),
      signedWith(pss, sequence(der(0xa0))),
    ])
      assert.throws(() => isSafelySigned(bytes), DerError);
  });
});
