import assert from 'node:assert/strict';
import { ServerAddress } from './server-address.ts';

describe('ServerAddress', () => {
  const hostPort = (externalHostname: string, advertised: string): string =>
    new ServerAddress({ externalHostname, advertised, port: 6443 }).hostPort;

  it('is the advertised address, or --external-hostname, whose own port wins', () => {
    assert.equal(hostPort('', '192.0.2.7'), '192.0.2.7:6443');
    assert.equal(hostPort('', '2001:db8::7'), '[2001:db8::7]:6443');
    assert.equal(hostPort('api.example.com', '192.0.2.7'), 'api.example.com:6443');
    assert.equal(hostPort('2001:db8::1', '192.0.2.7'), '[2001:db8::1]:6443');
    assert.equal(hostPort('[2001:db8::1]', '192.0.2.7'), '[2001:db8::1]:6443');
    assert.equal(hostPort('[2001:db8::1]:443', '192.0.2.7'), '[2001:db8::1]:443');
    assert.equal(hostPort('api.example.com:443', '192.0.2.7'), 'api.example.com:443');
  });

  it('has the port of the listener once it listens, which is said once', () => {
    const address = new ServerAddress({ externalHostname: '', advertised: '192.0.2.7', port: 0 });
    assert.deepEqual([address.port, address.hostPort], [0, '192.0.2.7:0']);
    address.listensOn(40_001);
    assert.deepEqual([address.port, address.hostPort], [40_001, '192.0.2.7:40001']);
    assert.throws(() => address.listensOn(40_002), /listens already/);
  });
});
