import assert from 'node:assert/strict';
import { parseRequestInfo, type RequestInfo } from './request-info.ts';

const pods = '/api/v1/namespaces/default/pods';

describe('parseRequestInfo', () => {
  const paths: readonly (readonly [path: string, expected: Partial<RequestInfo>])[] = [
    [
      '/api/v1/nodes',
      { apiPrefix: 'api', group: '', version: 'v1', namespace: '', resource: 'nodes', name: '', subresource: '' },
    ],
    ['/api/v1/nodes/n1', { resource: 'nodes', name: 'n1' }],
    ['/api/v1/nodes/n1/status', { resource: 'nodes', name: 'n1', subresource: 'status' }],
    ['/api/v1/pods', { namespace: '', resource: 'pods', name: '' }],
    [pods, { namespace: 'default', resource: 'pods', name: '' }],
    [`${pods}/`, { namespace: 'default', resource: 'pods', name: '' }],
    [`${pods}/p`, { namespace: 'default', resource: 'pods', name: 'p', subresource: '' }],
    [`${pods}/p/log`, { name: 'p', subresource: 'log', tail: [] }],
    [`${pods}/p/proxy/a/b`, { name: 'p', subresource: 'proxy', tail: ['a', 'b'] }],
    ['/api/v1/nodes/n1/proxy/a/b', { namespace: '', name: 'n1', subresource: 'proxy', tail: ['a', 'b'] }],
    [`${pods}/p/proxy/`, { subresource: 'proxy', tail: [] }],
    [`${pods}/p/proxy//`, { subresource: 'proxy', tail: [''] }],
    [`${pods}/p/proxy//a//b/`, { name: 'p', subresource: 'proxy', tail: ['', 'a', '', 'b'] }],
    ['/api/v1/nodes/n1/proxy//a', { name: 'n1', subresource: 'proxy', tail: ['', 'a'] }],
    [
      '/apis/apps/v1/namespaces/x/deployments/d/scale',
      {
        apiPrefix: 'apis',
        group: 'apps',
        version: 'v1',
        namespace: 'x',
        resource: 'deployments',
        name: 'd',
        subresource: 'scale',
      },
    ],
    [
      '/apis/storage.k8s.io/v1/storageclasses/s',
      { group: 'storage.k8s.io', version: 'v1', namespace: '', resource: 'storageclasses', name: 's' },
    ],
    ['/api/v1/namespaces', { namespace: '', resource: 'namespaces', name: '' }],
    ['/api/v1/namespaces/x', { namespace: '', resource: 'namespaces', name: 'x', subresource: '' }],
    ['/api/v1/namespaces/x/status', { namespace: '', resource: 'namespaces', name: 'x', subresource: 'status' }],
    ['/api/v1/namespaces/x/finalize', { namespace: '', resource: 'namespaces', name: 'x', subresource: 'finalize' }],
    ['/api/v1/namespaces/status/pods', { namespace: 'status', resource: 'pods', name: '' }],
    ['/api/v1/watch/pods', { deprecatedWatch: true, namespace: '', resource: 'pods', name: '' }],
    ['/api/v1/watch/namespaces/x/pods/p', { deprecatedWatch: true, namespace: 'x', resource: 'pods', name: 'p' }],
    ['/api/v1/watch/namespaces/x', { deprecatedWatch: true, namespace: '', resource: 'namespaces', name: 'x' }],
    [
      '/api/v1/proxy/nodes/n1/metrics',
      { verb: 'proxy', namespace: '', resource: 'nodes', name: 'n1', subresource: '', tail: [] },
    ],
    [
      '/api/v1/proxy/namespaces/x/pods/p/a',
      { verb: 'proxy', namespace: 'x', resource: 'pods', name: 'p', subresource: '', tail: [] },
    ],
    ['/api/v1/proxy', { verb: 'list', resource: 'proxy' }],
    ['/api/v1/watch', { deprecatedWatch: false, resource: 'watch' }],
    ['/api/v1/namespaces/watch/pods', { deprecatedWatch: false, namespace: 'watch', resource: 'pods' }],
    [`${pods}/a%2Fb`, { name: 'a/b', subresource: '' }],
    [`${pods}/a%252Fb`, { name: 'a%2Fb' }],
    ['/api/v1/namespaces/%61/pods', { namespace: 'a' }],
    [`${pods}/%F0%9F%98%80`, { name: '\u{1F600}' }],
    [`${pods}/__proto__`, { name: '__proto__' }],
  ];
  for (const [path, expected] of paths) {
    it(`reads ${path}`, () => {
      const info = parseRequestInfo('GET', path, false);
      assert.deepEqual(
        Object.fromEntries(Object.keys(expected).map((key) => [key, info[key as keyof RequestInfo]])),
        expected,
      );
      assert.deepEqual([info.isResource, info.malformed, info.path], [true, false, path]);
    });
  }

  for (const path of [
    '/',
    '',
    '/healthz',
    '/healthz/etcd',
    '/version',
    '/openapi/v3/apis/apps/v1',
    '/api',
    '/api/',
    '/api/v1',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/apis/apps/v1/',
    '/API/v1/pods',
    '/api%2Fv1/pods',
  ]) {
    it(`takes ${path || 'an empty path'} for no resource`, () => {
      const info = parseRequestInfo('GET', path, false);
      assert.deepEqual([info.isResource, info.malformed, info.resource, info.verb], [false, false, '', 'get']);
    });
  }

  it('tells group and version of discovery paths', () => {
    const of = (path: string) => {
      const { apiPrefix, group, version } = parseRequestInfo('GET', path, false);
      return [apiPrefix, group, version];
    };
    assert.deepEqual(of('/apis/apps/v1'), ['apis', 'apps', 'v1']);
    assert.deepEqual(of('/apis/apps'), ['apis', 'apps', '']);
    assert.deepEqual(of('/api/v1/'), ['api', '', 'v1']);
  });

  for (const path of [
    '//',
    '//api/v1/pods',
    '/api//v1/pods',
    `${pods}//p`,
    `${pods}//`,
    `${pods}//proxy//a`,
    `${pods}/p//proxy//a`,
    `${pods}/p/log//a`,
    '/api/v1//nodes/n1/proxy//a',
    '/other/v1/nodes/n1/proxy//a',
    '/api/v1/namespaces/proxy//pods',
    '/api/v1/namespaces//pods',
    '/healthz//',
    `${pods}/%`,
    `${pods}/%zz`,
    `${pods}/%ff`,
    `${pods}/%c0%af`,
    `${pods}/%ed%a0%80`,
    '/%ff/x',
  ]) {
    it(`calls ${path} malformed and tells nothing else of it`, () => {
      const info = parseRequestInfo('DELETE', path, true);
      assert.deepEqual(
        [info.malformed, info.isResource, info.resource, info.namespace, info.name],
        [true, false, '', '', ''],
      );
    });
  }

  const verbs: readonly (readonly [method: string, path: string, watch: boolean, verb: string])[] = [
    ['GET', pods, false, 'list'],
    ['GET', pods, true, 'watch'],
    ['GET', `${pods}/p`, false, 'get'],
    ['GET', `${pods}/p`, true, 'get'],
    ['GET', '/api/v1/watch/namespaces/x/pods/p', false, 'watch'],
    ['HEAD', pods, false, 'list'],
    ['HEAD', `${pods}/p`, false, 'get'],
    ['GET', '/api/v1/watch/pods', false, 'watch'],
    ['POST', pods, false, 'create'],
    ['POST', pods, true, 'create'],
    ['POST', `${pods}/p/binding`, false, 'create'],
    ['PUT', `${pods}/p`, false, 'update'],
    ['PATCH', `${pods}/p`, false, 'patch'],
    ['DELETE', `${pods}/p`, false, 'delete'],
    ['DELETE', pods, false, 'deletecollection'],
    ['DELETE', pods, true, 'deletecollection'],
    ['DELETE', '/api/v1/watch/pods', false, 'deletecollection'],
    ['OPTIONS', pods, false, ''],
    ['get', pods, true, ''],
    ['constructor', `${pods}/p`, false, ''],
    ['POST', '/healthz', false, 'post'],
    ['GET', '/version', true, 'get'],
  ];
  for (const [method, path, watch, verb] of verbs) {
    it(`calls ${method} ${path}${watch ? '?watch' : ''} ${verb || 'nothing'}`, () =>
      assert.equal(parseRequestInfo(method, path, watch).verb, verb));
  }
});
