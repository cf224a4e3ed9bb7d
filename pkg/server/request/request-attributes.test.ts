import assert from 'node:assert/strict';
import { person } from '../../authorization/authorization-testing.ts';
import { requestOf } from '../filters/filter-testing.ts';
import { requestAttributes } from './request-attributes.ts';

describe('requestAttributes', () => {
  const cases: readonly (readonly [request: string, expected: string])[] = [
    ['GET /api/v1/pods', 'list v1 pods'],
    ['GET /api/v1/namespaces/ns/pods/p', 'get v1 ns/pods p'],
    ['GET /api/v1/namespaces/ns/pods?watch=1', 'watch v1 ns/pods'],
    ['GET /api/v1/watch/namespaces/ns/pods/p', 'watch v1 ns/pods p'],
    ['GET /api/v1/watch/namespaces/ns', 'watch v1 ns/namespaces ns'],
    ['HEAD /api/v1/namespaces/ns/pods', 'list v1 ns/pods'],
    ['BREW /api/v1/namespaces/ns/pods', ' v1 ns/pods'],
    ['POST /apis/apps/v1/namespaces/ns/deployments/d/scale', 'create apps/v1 ns/deployments/scale d'],
    ['DELETE /api/v1/namespaces/ns/pods?fieldSelector=metadata.name%3Dp', 'deletecollection v1 ns/pods'],
    ['GET /api/v1/namespaces', 'list v1 namespaces'],
    ['GET /api/v1/namespaces/ns', 'get v1 ns/namespaces ns'],
    ['PUT /api/v1/namespaces/ns/finalize', 'update v1 ns/namespaces/finalize ns'],
    ['GET /api/v1/nodes/https:n1:10250/proxy/logs/x', 'get v1 nodes/proxy https:n1:10250'],
    ['GET /api/v1/namespaces/ns/pods/%70', 'get v1 ns/pods p'],
    ['GET /api/v1/namespaces/n%73/pods/a%2Fb', 'get v1 ns/pods a/b'],
    ['GET /api/v1/namespaces/ns/pods/', 'list v1 ns/pods'],
    ['GET /api/v1/namespaces/ns/secrets?fieldSelector=metadata.name%3Ds', 'list v1 ns/secrets s'],
    [
      'GET /api/v1/namespaces/ns/secrets?watch=true&fieldSelector=type%3Dx%2Cmetadata.name%3D%3Ds',
      'watch v1 ns/secrets s',
    ],
    ['GET /api/v1/watch/namespaces/ns/secrets?fieldSelector=metadata.name%3Ds', 'watch v1 ns/secrets'],
    ['GET /api/v1/namespaces/ns/secrets?fieldSelector=metadata.name%21%3Ds', 'list v1 ns/secrets'],
    ['GET /api/v1/namespaces/ns/secrets?fieldSelector=metadata.name%3Da%2Fb', 'list v1 ns/secrets'],
    ['GET /api/v1/namespaces/ns/secrets?fieldSelector=metadata.name%3D', 'list v1 ns/secrets'],
    ['GET /api/v1/namespaces/ns/secrets?fieldSelector=metadata.name', 'list v1 ns/secrets'],
    ['GET /api/v1/namespaces/ns/secrets/x?fieldSelector=metadata.name%3Ds', 'get v1 ns/secrets x'],
    ['GET /healthz', 'get /healthz'],
    ['POST /%68ealthz', 'post /%68ealthz'],
    ['GET /api/v1//pods', 'get /api/v1//pods'],
    ['GET /api/v1', 'get /api/v1'],
  ];
  it('reports the node that a collection is selected by', () => {
    const nodeOf = (request: string): string | undefined => {
      const [method = '', url = ''] = request.split(' ');
      return requestAttributes(requestOf(method, url, {}, person('u')).context).selectedNode;
    };
    const slices = '/apis/resource.k8s.io/v1/resourceslices';
    for (const request of [`GET ${slices}`, `GET ${slices}?watch=1`, `DELETE ${slices}`]) {
      const withSelector = (selector: string): string =>
        `${request}${request.includes('?') ? '&' : '?'}fieldSelector=${encodeURIComponent(selector)}`;
      assert.equal(nodeOf(request), undefined);
      assert.equal(nodeOf(withSelector('spec.driver=d,spec.nodeName=n')), 'n');
      assert.equal(nodeOf(withSelector('spec.nodeName!=n')), undefined);
      assert.equal(nodeOf(withSelector('spec.nodeName')), undefined);
    }
    assert.equal(nodeOf(`GET ${slices}/x?fieldSelector=spec.nodeName%3Dn`), undefined);
  });

  for (const [request, expected] of cases) {
    it(`reads ${request}`, () => {
      const [method = '', url = ''] = request.split(' ');
      const asked = requestAttributes(requestOf(method, url, {}, person('u')).context);
      const group = asked.apiGroup === '' ? asked.apiVersion : `${asked.apiGroup}/${asked.apiVersion}`;
      const resource = `${asked.namespace === '' ? '' : `${asked.namespace}/`}${asked.resource}${asked.subresource === '' ? '' : `/${asked.subresource}`}`;
      assert.equal(
        asked.isResource
          ? `${asked.verb} ${group} ${resource}${asked.name === '' ? '' : ` ${asked.name}`}`
          : `${asked.verb} ${asked.path}`,
        expected,
      );
      assert.equal(asked.user.name, 'u');
    });
  }
});
