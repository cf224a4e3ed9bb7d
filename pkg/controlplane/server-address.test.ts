import assert from 'node:assert/strict';
import { advertisedAddress, localUrl, outwardInterface, ownNames, type InterfaceAddress } from './server-address.ts';

const loopback: InterfaceAddress[] = [
  { address: '127.0.0.1', family: 'IPv4', internal: true },
  { address: '::1', family: 'IPv6', internal: true },
];
const linkLocal: InterfaceAddress[] = [
  { address: '169.254.7.7', family: 'IPv4', internal: false },
  { address: 'fe80::1', family: 'IPv6', internal: false },
];
const ipv4: InterfaceAddress[] = [
  { address: '192.0.2.7', family: 'IPv4', internal: false },
  { address: '192.0.2.8', family: 'IPv4', internal: false },
];
const ipv6: InterfaceAddress[] = [{ address: '2001:db8::7', family: 'IPv6', internal: false }];

describe('the addresses of a server', () => {
  const reachable: readonly (readonly [host: string, machine: readonly InterfaceAddress[], address: string])[] = [
    ['192.0.2.9', [], '192.0.2.9'],
    ['::1', [...loopback, ...ipv6], '::1'],
    ['', [...loopback, ...linkLocal, ...ipv6, ...ipv4], '192.0.2.7'],
    ['::', [...loopback, ...linkLocal, ...ipv6, ...ipv4], '192.0.2.7'],
    ['0.0.0.0', [...loopback, ...linkLocal, ...ipv6, ...ipv4], '192.0.2.7'],
    ['', [...loopback, ...linkLocal, ...ipv6], '2001:db8::7'],
    ['0.0.0.0', [...loopback, ...linkLocal, ...ipv6], '127.0.0.1'],
    ['', loopback, '127.0.0.1'],
  ];
  for (const [host, machine, address] of reachable) {
    it(`tells others ${address} where it listens at '${host}' on a machine with ${machine.map((one) => one.address).join(', ') || 'nothing'}`, () => {
      for (const wildcard of ['', '0.0.0.0', '::'])
        assert.equal(advertisedAddress(wildcard, host, machine), address, wildcard);
    });
  }

  it('are what --advertise-address says', () => {
    for (const given of ['198.51.100.1', '127.0.0.1', '2001:db8::1'])
      assert.equal(advertisedAddress(given, '192.0.2.9', ipv4), given);
  });

  it('are returned in their canonical form', () => {
    for (const [text, address] of [
      ['FD00::2', 'fd00::2'],
      ['2001:db8:0:0::7', '2001:db8::7'],
      ['::ffff:192.0.2.2', '192.0.2.2'],
    ] as const) {
      assert.deepEqual([advertisedAddress(text, '', ipv4), advertisedAddress('', text, ipv4)], [address, address]);
    }
    assert.equal(advertisedAddress('0:0:0:0:0:0:0:0', '', ipv4), '192.0.2.7');
  });

  it('begin with that of the default route', () => {
    const table =
      'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\ndocker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\nhalf\t00000000\t0\t1\t0\t0\t0\t00000080\neth1\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\n';
    assert.deepEqual([outwardInterface(table), outwardInterface('')], ['eth1', undefined]);
  });

  it('are the names of its certificate, wildcards left out', () => {
    const always = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', '127.0.0.1', '::1'];
    assert.deepEqual(ownNames(['', '::', '0.0.0.0', '127.0.0.1']), always);
    assert.deepEqual(ownNames(['fe80::1%eth0']), [...always, 'fe80::1']);
    assert.deepEqual(ownNames(['0.0.0.0', '192.0.2.7', '10.0.0.1', '192.0.2.7', '2001:db8::9']), [
      ...always,
      '192.0.2.7',
      '10.0.0.1',
      '2001:db8::9',
    ]);
  });

  it('make URLs, those of IPv6 in brackets', () => {
    for (const host of ['', '::', '0.0.0.0', '127.0.0.1'])
      assert.equal(localUrl(host, 6443), 'https://127.0.0.1:6443', host);
    assert.equal(localUrl('::1', 6443), 'https://[::1]:6443');
    assert.equal(localUrl('192.0.2.7', 443), 'https://192.0.2.7:443');
  });
});
