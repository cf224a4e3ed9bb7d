import assert from 'node:assert/strict';
import type { RequestContext } from '../request/request-context.ts';
import { requestHeaders, responseHeaders } from './forwarded-headers.ts';

describe('forwarded headers', () => {
  /** Those of a request with these lines, `name: value`. */
  const requested = (lines: readonly string[], more: object = {}) => {
    const rawHeaders = lines.flatMap((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]);
    return requestHeaders({
      request: { rawHeaders },
      headers: {},
      remoteAddress: '192.0.2.1',
      ...more,
    } as unknown as RequestContext);
  };
  const from = { 'x-forwarded-for': ['192.0.2.1'] };

  it('are those of the client, with its address', () => {
    assert.deepEqual(requested(['Host: api:6443', 'X-Own: a', 'x-own: b', 'Cookie: c', 'Content-Length: 3']), {
      host: ['api:6443'],
      'x-own': ['a', 'b'],
      cookie: ['c'],
      'content-length': ['3'],
      ...from,
    });
    assert.deepEqual(requested(['X-Forwarded-For: 198.51.100.1', 'X-Forwarded-For: 198.51.100.2']), {
      'x-forwarded-for': ['198.51.100.1, 198.51.100.2, 192.0.2.1'],
    });
    assert.deepEqual(requested(['__proto__: x'])['__proto__'], ['x']);
  });

  it('contain no credentials of the client', () => {
    for (const name of [
      'Authorization',
      'Impersonate-User',
      'impersonate-group',
      'Impersonate-Extra-Scopes',
      'X-Remote-User',
      'X-Remote-Extra-Key',
    ])
      assert.deepEqual(requested([`${name}: x`]), from, name);
  });

  it('contain no token among the subprotocols of a WebSocket', () => {
    const token = 'base64url.bearer.authorization.k8s.io.dG9rZW4';
    assert.deepEqual(requested([`Sec-WebSocket-Protocol: ${token}`]), from);
    assert.deepEqual(
      requested([`Sec-WebSocket-Protocol: ${token}, v5.channel.k8s.io`, 'Sec-WebSocket-Protocol: v4.channel.k8s.io']),
      { 'sec-websocket-protocol': ['v5.channel.k8s.io, v4.channel.k8s.io'], ...from },
    );
  });

  it('are not those between two hops, nor those that a client calls so', () => {
    for (const name of [
      'Connection',
      'Keep-Alive',
      'Proxy-Authorization',
      'Proxy-Connection',
      'TE',
      'Trailer',
      'Transfer-Encoding',
      'Upgrade',
      'HTTP2-Settings',
      'Expect',
    ])
      assert.deepEqual(requested([`${name}: x`]), from, name);
    assert.deepEqual(requested(['X-A: 1', 'Connection: close, X-A', 'connection: x-b', 'X-B: 2', 'X-C: 3']), {
      'x-c': ['3'],
      ...from,
    });
  });

  it('describe the message, even if a client lists them as hop-by-hop', () => {
    const message = ['Host: h', 'Content-Length: 3', 'X-Forwarded-For: 198.51.100.1'];
    assert.deepEqual(requested([...message, 'Connection: host, Content-Length, X-Forwarded-For']), {
      host: ['h'],
      'content-length': ['3'],
      ...from,
    });
  });

  it('have the authority of HTTP/2 as host, with any other host headers', () => {
    assert.deepEqual(
      requested([':authority: api', 'host: other'], { headers: { ':authority': 'api', host: 'other' } }),
      { host: ['api'], ...from },
    );
    assert.deepEqual(requested([':authority: api', ':path: /x'], { headers: { ':authority': 'api' } }), {
      host: ['api'],
      ...from,
    });
  });

  it('of an answer leave out those that this server sets', () => {
    assert.deepEqual(
      responseHeaders([
        'Content-Type',
        'a/b',
        'Set-Cookie',
        '1',
        'Set-Cookie',
        '2',
        'Access-Control-Allow-Origin',
        '*',
        'Transfer-Encoding',
        'chunked',
        'Connection',
        'close, x-hop',
        'X-Hop',
        'v',
      ]),
      {
        'content-type': ['a/b'],
        'set-cookie': ['1', '2'],
      },
    );
  });
});
