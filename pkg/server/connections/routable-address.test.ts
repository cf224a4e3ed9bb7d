import assert from 'node:assert/strict';
import { parseIp } from '../../apimachinery/names/ip.ts';
import { isRoutable } from './routable-address.ts';

describe('isRoutable', () => {
  const routable = [
    '10.0.0.1',
    '192.168.0.1',
    '172.16.0.1',
    '100.64.0.1',
    '8.8.8.8',
    '169.253.0.1',
    '223.255.255.255',
    '240.0.0.1',
    'fd00::1',
    '2001:db8::1',
    '::ffff:10.0.0.1',
  ];
  const refused = [
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '224.0.0.1',
    '239.255.255.255',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    'fe80::1',
    'febf::1',
    'ff02::1',
  ];
  for (const [addresses, expected] of [
    [routable, true],
    [refused, false],
  ] as const) {
    for (const address of addresses)
      it(`${expected ? 'takes' : 'refuses'} ${address}`, () => assert.equal(isRoutable(parseIp(address)!), expected));
  }
});
