import assert from 'node:assert/strict';
import { externalAddress, localUrl, ownNames, reachableAddress, type InterfaceAddress } from './server-address.ts';

const loopback: InterfaceAddress[] = [{ address: '127.0.0.1', family: 'IPv4', internal: true }, { address: '::1', family: 'IPv6', internal: true }];
const linkLocal: InterfaceAddress[] = [{ address: '169.254.7.7', family: 'IPv4', internal: false }, { address: 'fe80::1', family: 'IPv6', internal: false }];
const ipv4: InterfaceAddress[] = [{ address: '192.0.2.7', family: 'IPv4', internal: false }, { address: '192.0.2.8', family: 'IPv4', internal: false }];
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
      assert.equal(reachableAddress(host, machine), address);
    });
  }

  it('are the names of its certificate, wildcards left out', () => {
    const always = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', '127.0.0.1', '::1'];
    for (const host of ['', '::', '0.0.0.0']) assert.deepEqual(ownNames(host, [...loopback, ...ipv4]), [...always, '192.0.2.7'], host);
    assert.deepEqual(ownNames('2001:db8::9'), [...always, '2001:db8::9']);
    assert.deepEqual(ownNames('127.0.0.1'), always);
  });

  it('make URLs, those of IPv6 in brackets', () => {
    for (const host of ['', '::', '0.0.0.0', '127.0.0.1']) assert.equal(localUrl(host, 6443), 'https://127.0.0.1:6443', host);
    assert.equal(localUrl('::1', 6443), 'https://[::1]:6443');
    assert.equal(localUrl('192.0.2.7', 443), 'https://192.0.2.7:443');
  });

  it('give way to --external-hostname, whose own port wins', () => {
    assert.equal(externalAddress('', '192.0.2.7', 6443), '192.0.2.7:6443');
    assert.equal(externalAddress('', '2001:db8::7', 6443), '[2001:db8::7]:6443');
    assert.equal(externalAddress('api.example.com', '192.0.2.7', 6443), 'api.example.com:6443');
    assert.equal(externalAddress('api.example.com:443', '192.0.2.7', 6443), 'api.example.com:443');
  });
});
