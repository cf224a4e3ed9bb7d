import assert from 'node:assert/strict';
import { parseRequestInfo } from '../request/request-info.ts';
import { proxiedPath } from './backend-path.ts';

describe('proxiedPath', () => {
  const prefix = '/api/v1/namespaces/x/pods/p:80/proxy';
  const cases: readonly (readonly [behind: string, tail: string])[] = [
    ['', ''],
    ['/', '/'],
    ['/a', '/a'],
    ['/a/b/', '/a/b/'],
    ['/a%2Fb/%20', '/a%2Fb/%20'],
    ['/%E2%82%AC', '/%E2%82%AC'],
    ['/a;v=1', '/a;v=1'],
    ['//', '/'],
    ['///', '/'],
    ['//a', '/a'],
    ['/a//b', '/a/b'],
    ['/a//', '/a/'],
    ['/./a', '/a'],
    ['/a/./b/.', '/a/b'],
    ['/a/../b', '/b'],
    ['/../..', '/'],
    ['/../../api/v1/secrets', '/api/v1/secrets'],
    ['/a/%2e%2e/b', '/b'],
    ['/a/..%2Fb', '/a/..%2Fb'],
    ['/a/../', '/'],
    ['/proxy/a', '/proxy/a'],
  ];
  for (const [behind, tail] of cases) {
    it(`passes on ${tail || 'nothing'} of ${behind || 'nothing'}`, () => {
      assert.deepEqual(proxiedPath(parseRequestInfo('GET', prefix + behind, false)), { prefix, tail });
    });
  }

  it('keeps the prefix as it was sent', () => {
    assert.deepEqual(proxiedPath(parseRequestInfo('GET', '/api/v1/nodes/%6E/proxy/a', false)), {
      prefix: '/api/v1/nodes/%6E/proxy',
      tail: '/a',
    });
  });
});
