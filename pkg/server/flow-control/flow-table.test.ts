import assert from 'node:assert/strict';
import type { PolicyRulesWithSubjects, ResourcePolicyRule, Subject } from '../../generated/types/flowcontrol-v1.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { everyResource, schemaOf } from './flow-testing.ts';
import { distinguish, FlowTable } from './flow-table.ts';

const fallback = { name: 'catch-all', uid: '', level: 'catch-all', distinguisher: 'ByUser' } as const;
const info = (method: string, url: string) => parseRequestInfo(method, url.split('?')[0]!, url.includes('watch='));
const user = (name: string, ...groups: string[]) => ({ name, groups });
const group = (name: string): Subject => ({ kind: 'Group', group: { name } });

function matches(rule: PolicyRulesWithSubjects, asker: ReturnType<typeof user>, method: string, url: string): boolean {
  const table = new FlowTable([schemaOf('s', 1, 'l', [], { rules: [rule] })], fallback);
  return table.schemaOf(asker, info(method, url)).name === 's';
}

describe('FlowTable', () => {
  const anyone = [group('*')];

  const subjects: readonly (readonly [Subject, string, string[], boolean])[] = [
    [{ kind: 'User', user: { name: 'ann' } }, 'ann', [], true],
    [{ kind: 'User', user: { name: 'ann' } }, 'anna', ['ann'], false],
    [{ kind: 'User', user: { name: '*' } }, 'anybody', [], true],
    [group('dev'), 'ann', ['ops', 'dev'], true],
    [group('dev'), 'dev', [], false],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: 'b' } }, 'system:serviceaccount:a:b', [], true],
    [
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: 'b' } },
      'system:serviceaccount:a:bc',
      [],
      false,
    ],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: '*' } }, 'system:serviceaccount:a:bc', [], true],
    [
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: '*' } },
      'system:serviceaccount:ab:c',
      [],
      false,
    ],
  ];
  for (const [subject, name, groups, expected] of subjects) {
    it(`${expected ? 'matches' : 'does not match'} ${name} of [${groups.join()}] for ${JSON.stringify(subject)}`, () => {
      assert.equal(
        matches({ subjects: [subject], resourceRules: [everyResource] }, user(name, ...groups), 'GET', '/api/v1/pods'),
        expected,
      );
    });
  }

  const rule = (change: Partial<ResourcePolicyRule>): ResourcePolicyRule => ({
    verbs: ['get', 'list'],
    apiGroups: [''],
    resources: ['pods', 'nodes/status'],
    namespaces: ['a'],
    ...change,
  });
  const resources: readonly (readonly [ResourcePolicyRule, string, string, boolean])[] = [
    [rule({}), 'GET', '/api/v1/namespaces/a/pods/p', true],
    [rule({}), 'GET', '/api/v1/namespaces/a/pods', true],
    [rule({}), 'POST', '/api/v1/namespaces/a/pods', false],
    [rule({}), 'GET', '/api/v1/namespaces/a/pods?watch=true', false],
    [rule({}), 'GET', '/api/v1/namespaces/b/pods', false],
    [rule({}), 'GET', '/api/v1/pods', false],
    [rule({ clusterScope: true }), 'GET', '/api/v1/pods', true],
    [rule({ clusterScope: true }), 'GET', '/api/v1/nodes/n/status', true],
    [rule({ clusterScope: true }), 'GET', '/api/v1/nodes/n', false],
    [rule({}), 'GET', '/api/v1/namespaces/a/pods/p/log', false],
    [rule({ resources: ['*'] }), 'GET', '/api/v1/namespaces/a/pods/p/log', true],
    [rule({}), 'GET', '/apis/metrics.k8s.io/v1/namespaces/a/pods', false],
    [
      rule({ apiGroups: ['*'], verbs: ['*'], namespaces: ['*'] }),
      'DELETE',
      '/apis/metrics.k8s.io/v1/namespaces/a/pods/p',
      true,
    ],
    [
      rule({ apiGroups: ['*'], verbs: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }),
      'GET',
      '/healthz',
      false,
    ],
  ];
  for (const [resourceRule, method, url, expected] of resources) {
    it(`${expected ? 'matches' : 'does not match'} ${method} ${url} by ${JSON.stringify(resourceRule)}`, () => {
      assert.equal(matches({ subjects: anyone, resourceRules: [resourceRule] }, user('u', '*'), method, url), expected);
    });
  }

  it('matches paths whole, below a prefix, or all', () => {
    const of = (urls: string[], url: string, method = 'GET') =>
      matches(
        { subjects: anyone, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: urls }] },
        user('u', '*'),
        method,
        url,
      );
    assert.deepEqual(
      [
        of(['/healthz'], '/healthz'),
        of(['/healthz'], '/healthz/etcd'),
        of(['/healthz/*'], '/healthz/etcd'),
        of(['/healthz/*'], '/healthz'),
        of(['*'], '/x'),
        of(['*'], '/x', 'POST'),
        of(['*'], '/api/v1/pods'),
      ],
      [true, false, true, false, true, false, false],
    );
  });

  it('tries schemas by precedence, then by name, and falls back', () => {
    const table = new FlowTable(
      [
        schemaOf('late', 9, 'l', [group('some')]),
        schemaOf('b', 5, 'l', [group('dev')]),
        schemaOf('a', 5, 'l', [group('dev')]),
        schemaOf('first', 1, 'l', [group('ops')]),
      ],
      fallback,
    );
    const of = (...groups: string[]) => table.schemaOf(user('u', ...groups), info('GET', '/version')).name;
    assert.deepEqual(
      [of('dev', 'ops', 'some'), of('dev', 'some'), of('some'), of('none')],
      ['first', 'a', 'late', 'catch-all'],
    );
  });

  it('distinguishes a user from the same one with other groups', () => {
    const table = new FlowTable([schemaOf('ops', 1, 'l', [group('ops')]), schemaOf('rest', 2, 'l', anyone)], fallback);
    for (const [groups, expected] of [
      [['ops', '*'], 'ops'],
      [['*'], 'rest'],
      [['*', 'ops'], 'ops'],
    ] as const)
      assert.equal(table.schemaOf(user('u', ...groups), info('GET', '/version')).name, expected);
  });

  it('separates flows by user or namespace', () => {
    const schema = { ...fallback, name: 's' };
    const asked = info('GET', '/api/v1/namespaces/a/pods');
    assert.deepEqual(
      [
        distinguish(schema, user('u'), asked),
        distinguish({ ...schema, distinguisher: 'ByNamespace' }, user('u'), asked),
        distinguish({ ...schema, distinguisher: undefined }, user('u'), asked),
      ],
      ['u', 'a', ''],
    );
  });
});
