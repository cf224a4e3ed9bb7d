import assert from 'node:assert/strict';
import type { Backend } from './backend.ts';
import { placeRewriter, rewriteLocation } from './rewrite-location.ts';
import type { ForwardedAnswer } from './send-answer.ts';

describe('rewriteLocation', () => {
  const backend: Backend = { scheme: 'http', host: '10.0.0.1', port: 8080, isTrusted: false, dialTimeoutMs: 1 };
  const prefix = '/api/v1/nodes/n/proxy';
  const place = { prefix, backend, sentHost: 'api.example.com:6443' };

  const cases: readonly (readonly [why: string, location: string, expected: string])[] = [
    ['a path', '/login?next=%2F', `${prefix}/login?next=%2F`],
    ['a path below the proxy', `${prefix}/login`, `${prefix}/login`],
    ['the proxy itself', prefix, prefix],
    ['a path that only begins like the proxy', `${prefix}-other`, `${prefix}${prefix}-other`],
    ['the backend by its address', 'http://10.0.0.1:8080/a#b', `${prefix}/a#b`],
    ['the backend without its port', 'http://10.0.0.1/a', `${prefix}/a`],
    ['the backend by the requested host', 'http://api.example.com:6443/a', `http://api.example.com:6443${prefix}/a`],
    ['that host without a scheme', '//api.example.com:6443/a', `//api.example.com:6443${prefix}/a`],
    ['that host below the proxy', `https://api.example.com:6443${prefix}/a`, `https://api.example.com:6443${prefix}/a`],
    ['the backend without a scheme', '//10.0.0.1:8080/a', `${prefix}/a`],
    ['another host', 'https://example.com/a', 'https://example.com/a'],
    ['another host without a scheme', '//example.com/a', '//example.com/a'],
    ['another port of the backend', 'http://10.0.0.1:9090/a', 'http://10.0.0.1:9090/a'],
    ['a host behind a name and password', 'http://10.0.0.1:8080@example.com/a', 'http://10.0.0.1:8080@example.com/a'],
    ['the backend and a path that would name a host', 'http://10.0.0.1:8080//example.com/', `${prefix}/example.com/`],
    ['a path from where it stands', 'a/b', 'a/b'],
    ['another scheme', 'ftp://10.0.0.1:8080/a', 'ftp://10.0.0.1:8080/a'],
    ['nothing', '', ''],
  ];
  for (const [why, location, expected] of cases)
    it(`of ${why}`, () => assert.equal(rewriteLocation(location, place), expected));

  it('knows a backend of IPv6', () => {
    assert.equal(
      rewriteLocation('http://[fd00::1]:80/a', { ...place, backend: { ...backend, host: 'fd00::1', port: 80 } }),
      `${prefix}/a`,
    );
  });

  it('changes nothing else of an answer', () => {
    const answer = { status: 302, headers: { location: ['/a'], 'x-own': ['v'] } } as unknown as ForwardedAnswer;
    assert.deepEqual(placeRewriter(place)(answer), {
      ...answer,
      headers: { location: [`${prefix}/a`], 'x-own': ['v'] },
    });
    const plain = { status: 200, headers: { 'x-own': ['v'] } } as unknown as ForwardedAnswer;
    assert.equal(placeRewriter(place)(plain), plain);
  });
});
