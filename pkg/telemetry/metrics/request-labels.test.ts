import assert from 'node:assert/strict';
import { ResourceRegistry } from '../../api/resource-registry.ts';
import { parseRequestInfo } from '../../server/request/request-info.ts';
import { isLongRunning } from '../../server/request/request-kind.ts';
import { countedPath, KnownResources, requestScope, verbLabel } from './request-labels.ts';
import { sampleResources } from './request-testing.ts';

const info = (method: string, path: string, watch = false) => parseRequestInfo(method, path, watch);

describe('request labels', () => {
  it('names verbs in upper case, and unknown methods other', () => {
    const cases: [string, string, boolean, string][] = [
      ['GET', '/api/v1/namespaces/a/pods/b', false, 'GET'],
      ['GET', '/api/v1/pods', false, 'LIST'],
      ['GET', '/api/v1/pods', true, 'WATCH'],
      ['GET', '/api/v1/watch/pods', false, 'WATCH'],
      ['POST', '/api/v1/namespaces/a/pods', false, 'POST'],
      ['PUT', '/api/v1/namespaces/a/pods/b', false, 'PUT'],
      ['PATCH', '/api/v1/namespaces/a/pods/b', false, 'PATCH'],
      ['DELETE', '/api/v1/namespaces/a/pods/b', false, 'DELETE'],
      ['DELETE', '/api/v1/namespaces/a/pods', false, 'DELETECOLLECTION'],
      ['POST', '/api/v1/namespaces/a/pods/b/exec', false, 'CONNECT'],
      ['GET', '/api/v1/namespaces/a/pods/b/log', false, 'CONNECT'],
      ['HEAD', '/api/v1/namespaces/a/pods/b', false, 'GET'],
      ['HEAD', '/api/v1/pods', false, 'LIST'],
      ['HEAD', '/healthz', false, 'GET'],
      ['GET', '/healthz', false, 'GET'],
      ['BREW', '/coffee', false, 'other'],
      ['BREW', '/api/v1/pods', false, 'other'],
    ];
    for (const [method, path, watch, expected] of cases)
      assert.equal(verbLabel(info(method, path, watch), undefined), expected, `${method} ${path}`);
  });

  it('distinguishes server-side apply from other patches', () => {
    const patch = info('PATCH', '/api/v1/namespaces/a/pods/b');
    assert.equal(verbLabel(patch, 'application/apply-patch+yaml'), 'APPLY');
    assert.equal(verbLabel(patch, 'application/merge-patch+json'), 'PATCH');
  });

  it('distinguishes scopes', () => {
    const scopes = [
      ['GET', '/api/v1/pods'],
      ['GET', '/api/v1/namespaces/a/pods'],
      ['GET', '/api/v1/namespaces/a/pods/b'],
      ['POST', '/api/v1/namespaces/a/pods'],
      ['GET', '/version'],
    ].map(([method, path]) => requestScope(info(method!, path!)));
    assert.deepEqual(scopes, ['cluster', 'namespace', 'resource', 'resource', '']);
  });

  it('recognizes long-running requests', () => {
    assert.equal(isLongRunning(info('GET', '/api/v1/pods', true)), true);
    assert.equal(isLongRunning(info('GET', '/api/v1/namespaces/a/pods/b/log')), true);
    assert.equal(isLongRunning(info('GET', '/api/v1/pods')), false);
    assert.equal(isLongRunning(info('GET', '/log')), false);
  });

  it('labels only what the scheme serves', () => {
    const known = new KnownResources(new ResourceRegistry(sampleResources));
    const empty = {
      component: 'apiserver',
      group: '',
      resource: '',
      scope: '',
      subresource: '',
      verb: 'GET',
      version: '',
    };
    for (const path of [
      '/api/v1/secretthings',
      '/apis/apps/v9/deployments',
      '/apis/apps/v1alpha9/deployments',
      '/api/v1/namespaces/a/pods/b/other',
      '/made-up/by/client',
    ]) {
      assert.deepEqual(known.labelsOf(info('GET', path), 'GET').labels, empty, path);
    }
    assert.deepEqual(known.labelsOf(info('GET', '/apis/apps/v1/namespaces/a/deployments/b'), 'GET'), {
      labels: {
        component: 'apiserver',
        group: 'apps',
        resource: 'deployments',
        scope: 'resource',
        subresource: '',
        verb: 'GET',
        version: 'v1',
      },
      removedRelease: undefined,
    });
    assert.equal(known.labelsOf(info('GET', '/apis/apps/v1beta1/deployments'), 'LIST').removedRelease, '1.16');
  });

  it('counts known paths separately, with the paths below them', () => {
    const paths = [
      '/healthz',
      '/readyz/etcd',
      '/openapi/v2',
      '/openapi/v3/apis/apps/v1',
      '/metrics',
      '/healthzz',
      '/',
      '/a/b',
      '',
      '/openapi',
    ];
    assert.deepEqual(paths.map(countedPath), [
      '/healthz',
      '/readyz',
      '/openapi/v2',
      '/openapi/v3',
      '/metrics',
      '',
      '',
      '',
      '',
      '',
    ]);
  });
});
