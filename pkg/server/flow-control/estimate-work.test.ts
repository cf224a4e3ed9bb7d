import assert from 'node:assert/strict';
import { parseRequestInfo } from '../request/request-info.ts';
import { estimateWork } from './estimate-work.ts';

describe('estimateWork', () => {
  const sizes = {
    objectsOf: (_group: string, resource: string) => ({ pods: 5000, nodes: 150 })[resource] ?? 0,
    watchersOf: (_group: string, resource: string, namespace: string) =>
      resource === 'pods' ? (namespace === 'a' ? 25 : 500) : 0,
  };
  const of = (method: string, url: string) => {
    const [path = '', query = ''] = url.split('?');
    const { seats, finalSeats, finalSeconds, watchers } = estimateWork(
      { info: parseRequestInfo(method, path, query.includes('watch=')), query: new URLSearchParams(query) },
      sizes,
    );
    return [seats, finalSeats, finalSeconds, ...(watchers === undefined ? [] : [watchers])];
  };
  const rows: readonly (readonly [string, string, readonly number[]])[] = [
    ['GET', '/version', [1, 0, 0]],
    ['GET', '/api/v1/namespaces/a/pods/p', [1, 0, 0]],
    ['GET', '/api/v1/pods', [10, 0, 0]],
    ['GET', '/api/v1/nodes', [2, 0, 0]],
    ['GET', '/api/v1/secrets', [1, 0, 0]],
    ['GET', '/api/v1/pods?limit=250', [3, 0, 0]],
    ['GET', '/api/v1/pods?limit=250&labelSelector=a', [10, 0, 0]],
    ['GET', '/api/v1/pods?limit=nonsense', [10, 0, 0]],
    ['GET', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp', [1, 0, 0]],
    ['GET', '/api/v1/pods?watch=true', [10, 0, 0]],
    ['GET', '/api/v1/pods?watch=true&resourceVersion=0', [10, 0, 0]],
    ['GET', '/api/v1/pods?watch=true&resourceVersion=77', [1, 0, 0]],
    ['GET', '/api/v1/pods?watch=true&resourceVersion=77&sendInitialEvents=true', [10, 0, 0]],
    ['POST', '/api/v1/namespaces/a/pods', [1, 3, 0.0002, 25]],
    ['PATCH', '/api/v1/namespaces/b/pods/p', [1, 10, 0.001, 500]],
    ['PUT', '/api/v1/nodes/n', [1, 0, 0, 0]],
    ['POST', '/api/v1/namespaces/a/serviceaccounts/s/token', [1, 0, 0]],
  ];
  for (const [method, url, expected] of rows) it(`${method} ${url}`, () => assert.deepEqual(of(method, url), expected));
});
