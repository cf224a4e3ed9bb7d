import assert from 'node:assert/strict';
import { clusterIpRange, nodePortRange } from './number-range.ts';

describe('clusterIpRange', () => {
  it('leaves out network and broadcast address', () => {
    const range = clusterIpRange('10.0.0.0/24');
    assert.equal(range.size, 254);
    assert.equal(range.itemAt(0), '10.0.0.1');
    assert.equal(range.itemAt(253), '10.0.0.254');
    assert.equal(range.offsetOf('10.0.0.77'), 76);
    for (const outside of ['10.0.0.0', '10.0.0.255', '10.0.1.1', '1.2.3.4', 'fd00::1', 'None', ''])
      assert.equal(range.offsetOf(outside), undefined, outside);
    assert.equal(
      range.outside('1.2.3.4'),
      'the provided IP (1.2.3.4) is not in the valid range. The range of valid IPs is 10.0.0.0/24',
    );
  });

  it('names the network, whatever address of it was given', () => {
    assert.equal(clusterIpRange('10.96.3.4/12').text, '10.96.0.0/12');
    assert.equal(clusterIpRange('10.96.0.0/12').size, 1_048_574);
  });

  it('gives out a bounded part of IPv6 networks', () => {
    const range = clusterIpRange('fd00:1::/64');
    assert.equal(range.size, 65_535);
    assert.equal(range.itemAt(0), 'fd00:1::1');
    assert.equal(range.itemAt(65_534), 'fd00:1::ffff');
    assert.equal(range.offsetOf('fd00:1::1:0'), undefined);
    assert.equal(clusterIpRange('fd00::/120').size, 255);
  });

  it('reserves a sixteenth for addresses that are requested by name, within bounds', () => {
    const reserved = (cidr: string): number => clusterIpRange(cidr).reserved;
    assert.deepEqual(
      ['10.0.0.0/12', '10.0.0.0/22', '10.0.0.0/24', '10.0.0.0/27', '10.0.0.0/28', 'fd00::/108'].map(reserved),
      [256, 64, 16, 16, 0, 256],
    );
  });

  it('refuses what has no room', () => {
    assert.throws(() => clusterIpRange('10.0.0.0/31'));
    assert.throws(() => clusterIpRange('here'));
  });
});

describe('nodePortRange', () => {
  it('includes both ends', () => {
    const range = nodePortRange(30_000, 32_767);
    assert.equal(range.size, 2768);
    assert.equal(range.text, '30000-32767');
    assert.equal(range.offsetOf(30_000), 0);
    assert.equal(range.offsetOf(32_767), 2767);
    assert.equal(range.itemAt(2767), 32_767);
    assert.equal(range.offsetOf(29_999), undefined);
    assert.equal(range.offsetOf(99), undefined);
  });

  it('reserves a thirty-second of the ports, within bounds', () => {
    const reserved = (size: number): number => nodePortRange(30_000, 30_000 + size - 1).reserved;
    assert.deepEqual([10_000, 2768, 100, 17, 16].map(reserved), [128, 86, 16, 16, 0]);
  });
});
