import assert from 'node:assert/strict';
import { proxyBackend } from './proxy-backend.ts';
import { proxyTarget } from './proxy-target.ts';

describe('targets of proxies', () => {
  it('are a name, perhaps with a port and a scheme', () => {
    const of = (id: string): string[] => Object.values(proxyTarget('pod', id)) as string[];
    assert.deepEqual(of('web'), ['', 'web', '']);
    assert.deepEqual(of('web:80'), ['', 'web', '80']);
    assert.deepEqual(of('web:'), ['', 'web', '']);
    assert.deepEqual(of('https:web:8443'), ['https', 'web', '8443']);
    assert.deepEqual(of('http:web:'), ['http', 'web', '']);
    assert.deepEqual(of(':web:http'), ['', 'web', 'http']);
    for (const id of ['', ':80', 'http::80', 'ftp:web:80', 'HTTPS:web:1', 'a:b:c:d'])
      assert.throws(() => proxyTarget('service', id), { message: `invalid service request ${JSON.stringify(id)}` }, id);
  });

  it('are reached at the port of their scheme, or their own, and not verified', () => {
    assert.deepEqual(proxyBackend('', '10.0.0.1', ''), {
      scheme: 'http',
      host: '10.0.0.1',
      port: 80,
      isTrusted: false,
      dialTimeoutMs: 30_000,
    });
    assert.deepEqual(proxyBackend('https', '10.0.0.1', ''), {
      scheme: 'https',
      host: '10.0.0.1',
      port: 443,
      isTrusted: false,
      dialTimeoutMs: 30_000,
    });
    assert.equal(proxyBackend('http', '10.0.0.1', '8080').port, 8080);
    for (const port of ['0', '65536', '-1', '80a', '0x50', '1e3', ' 80', '80@example.com'])
      assert.throws(
        () => proxyBackend('', '10.0.0.1', port),
        { message: `error trying to reach service: dial tcp: address ${port}: invalid port` },
        port,
      );
  });
});
