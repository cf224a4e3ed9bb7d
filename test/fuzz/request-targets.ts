import { decodeContinue } from '../../pkg/apimachinery/meta/continue-token.ts';
import { requestOf } from '../../pkg/server/filters/filter-testing.ts';
import { readImpersonation } from '../../pkg/server/filters/impersonation-targets.ts';
import { negotiate } from '../../pkg/server/answers/negotiation.ts';
import { parseRequestInfo } from '../../pkg/server/request/request-info.ts';
import { parseListOptions, parseWriteOptions } from '../../pkg/server/request/request-options.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const token = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 5, start: 'a/b\0' })).toString('base64url');

/** What a request says outside of its body. */
export const requestTargets: readonly FuzzTarget[] = [
  {
    name: 'paths',
    seeds: [
      '/api/v1/namespaces/default/pods/a/log',
      '/apis/apps/v1/watch/namespaces/x/deployments',
      '/api/v1/namespaces/a/services/https:b:443/proxy/c%2Fd',
      '/healthz',
      '/apis/apps/v1/deployments/',
    ],
    run: (input) =>
      ['GET', 'POST', 'DELETE', 'PATCH'].map((method) =>
        parseRequestInfo(method, input.toString('latin1'), input.length % 2 === 0),
      ),
  },
  {
    name: 'query parameters',
    seeds: [
      'limit=5&continue=abc&labelSelector=a%3Db&resourceVersion=10&resourceVersionMatch=NotOlderThan',
      'watch=true&timeoutSeconds=5&allowWatchBookmarks=1',
      'dryRun=All&fieldManager=x&fieldValidation=Strict&pretty=true',
    ],
    run(input) {
      const query = new URLSearchParams(input.toString());
      const refusals: unknown[] = [];
      for (const read of [
        () => parseListOptions(query, false),
        () => parseListOptions(query, true),
        () => parseWriteOptions(query, 'CreateOptions'),
        () => parseWriteOptions(query, 'PatchOptions'),
      ]) {
        try {
          read();
        } catch (error) {
          if (error instanceof TypeError || error instanceof RangeError) throw error;
          refusals.push(error);
        }
      }
      return refusals;
    },
  },
  {
    name: 'Accept headers',
    seeds: [
      'application/json;as=Table;g=meta.k8s.io;v=v1, application/yaml;q=0.5, */*',
      'application/vnd.kubernetes.protobuf',
    ],
    run: (input) => negotiate(input.toString('latin1'), { protobuf: true, transforms: 'all' }),
  },
  { name: 'continue tokens', seeds: [token], run: (input) => decodeContinue(input.toString(), 'pods/') },
  {
    name: 'impersonation headers',
    seeds: ['alice\nstaff\nscopes\nview', 'system:serviceaccount:a:b\n\n%2fx\n'],
    run(input) {
      const [user = '', group = '', key = '', value = ''] = input.toString('latin1').split('\n');
      const { context } = requestOf('GET', '/api/v1/pods', {
        'impersonate-user': user,
        'impersonate-group': group,
        'impersonate-uid': value,
        [`impersonate-extra-${key.toLowerCase()}`]: value,
      });
      return readImpersonation(context);
    },
  },
];
