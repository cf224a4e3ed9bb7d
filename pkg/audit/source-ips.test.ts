import assert from 'node:assert/strict';
import { sourceIps } from './source-ips.ts';

describe('sourceIps', () => {
  for (const [forwardedFor, realIp, remote, expected] of [
    [undefined, undefined, '10.0.0.9', ['10.0.0.9']],
    [undefined, undefined, undefined, []],
    ['10.0.0.1, 10.0.0.2', undefined, '10.0.0.9', ['10.0.0.1', '10.0.0.2', '10.0.0.9']],
    ['10.0.0.1,10.0.0.9', undefined, '10.0.0.9', ['10.0.0.1', '10.0.0.9']],
    ['10.0.0.9,10.0.0.1', '10.0.0.9', '10.0.0.9', ['10.0.0.9', '10.0.0.1', '10.0.0.9']],
    ['nonsense,,10.0.0.256', 'also', '10.0.0.9', ['10.0.0.9']],
    [undefined, '10.0.0.3', undefined, ['10.0.0.3']],
    ['2001:DB8::0:1', '2001:db8:0::1', '::1', ['2001:db8::1', '::1']],
    ['::ffff:10.0.0.1, fe80::1%eth0', undefined, '::1', ['10.0.0.1', '::1']],
  ] as const) {
    it(`are ${expected.join(', ') || 'none'} for ${forwardedFor}, ${realIp} and ${remote}`, () =>
      assert.deepEqual(sourceIps(forwardedFor, realIp, remote), expected));
  }

  it('are bounded', () =>
    assert.equal(
      sourceIps(Array.from({ length: 5000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`).join(), undefined, '::1').length,
      65,
    ));
});
