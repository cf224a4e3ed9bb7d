import assert from 'node:assert/strict';
import type { RawRequest } from '../request/request-context.ts';
import { bodyIsStreamed } from './streamed-body.ts';

describe('bodyIsStreamed', () => {
  const of = (url: string, method = 'POST') => bodyIsStreamed({ method, url } as RawRequest);

  it('holds for forwarded requests of a proxy', () => {
    for (const url of [
      '/api/v1/nodes/n/proxy',
      '/api/v1/nodes/n/proxy/a/b?c=d',
      '/api/v1/namespaces/x/pods/p/proxy/',
      '/api/v1/namespaces/x/services/s:80/proxy//a',
      'https://api:6443/api/v1/nodes/n/proxy/a',
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) assert.equal(of(url, method), true, url);
    }
  });

  it('holds for no other path with the word', () => {
    for (const url of [
      '/api/v1/nodes/proxy',
      '/api/v1/namespaces/proxy/pods',
      '/api/v1/namespaces/x/configmaps/proxy',
      '/api/v1/nodes/n/status?x=/proxy',
      '/proxy',
      '/api/v1/nodes/n/status/proxy',
      '/api/v1//nodes/n/proxy/a',
    ])
      assert.equal(of(url), false, url);
  });
});
