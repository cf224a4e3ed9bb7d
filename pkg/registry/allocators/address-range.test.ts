import assert from 'node:assert/strict';
import { parseIp } from '../../apimachinery/names/ip.ts';
import { AddressRange } from './address-range.ts';

describe('AddressRange', () => {
  const range = (text: string): AddressRange => AddressRange.parse(text)!;
  const has = (text: string, ip: string): boolean => range(text).has(parseIp(ip)!);

  it('has neither the network address nor the broadcast address of IPv4', () => {
    assert.deepEqual(
      ['10.0.0.0', '10.0.0.1', '10.0.0.254', '10.0.0.255', '10.0.1.1', 'fd00::1'].map((ip) => has('10.0.0.0/24', ip)),
      [false, true, true, false, false, false],
    );
    assert.deepEqual(
      ['fd00::', 'fd00::1', 'fd00::ffff:ffff:ffff:ffff', 'fd00:0:0:1::'].map((ip) => has('fd00::/64', ip)),
      [false, true, true, false],
    );
    assert.deepEqual(
      ['10.0.0.30', '10.0.0.31', '10.0.0.32', '10.0.0.33'].map((ip) => has('10.0.0.16/28', ip)),
      [true, false, false, false],
    );
  });

  it('counts what it has', () => {
    assert.deepEqual(
      ['10.0.0.0/24', '10.0.0.0/30', '10.0.0.0/31', '10.0.0.0/32', 'fd00::/120', 'fd00::/128'].map(
        (text) => range(text).size,
      ),
      [254, 2, 0, 0, 255, 0],
    );
    assert.deepEqual(
      ['10.0.0.0/24', '10.0.0.0/28', '10.0.0.0/16', 'fd00::/64'].map((text) => range(text).reserved),
      [16, 0, 256, 256],
    );
    assert.deepEqual(
      [range('fd00::/64').isUsable, range('fd00::/63').isUsable, range('10.0.0.0/8').isUsable],
      [true, false, true],
    );
  });

  it('returns its addresses by their offset', () => {
    assert.deepEqual(
      [0, 253].map((i) => range('10.0.0.0/24').itemAt(i)),
      ['10.0.0.1', '10.0.0.254'],
    );
    assert.equal(range('200.0.0.0/8').itemAt(2 ** 24 - 3), '200.255.255.254');
    assert.deepEqual(
      [0, 0xfffe, 2 ** 48].map((i) => range('fd00::/64').itemAt(i)),
      ['fd00::1', 'fd00::ffff', 'fd00::1:0:0:1'],
    );
    for (const text of ['10.3.4.0/27', 'fd00::30/124'])
      for (let i = 0; i < range(text).size; i++) assert.ok(range(text).has(parseIp(range(text).itemAt(i))!));
  });

  it('finds which other ranges lie in it', () => {
    assert.deepEqual(
      ['10.0.0.0/24', '10.0.0.128/25', '10.0.0.0/23', '10.0.1.0/24', 'fd00::/64'].map((text) =>
        range('10.0.0.0/24').contains(range(text)),
      ),
      [true, true, false, false, false],
    );
    assert.equal(AddressRange.parse('x'), undefined);
  });
});
