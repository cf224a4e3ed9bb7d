import assert from 'node:assert/strict';
import { asks, asksPath, person } from '../authorization-testing.ts';
import { abacAuthorizer } from './authorizer.ts';
import { readPolicies } from './policy-file.ts';

const v1 = (spec: object): string =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });
const [alice, bob, stranger] = [
  person('alice', 'devs', 'system:authenticated'),
  person('bob', 'system:authenticated'),
  person('system:anonymous', 'system:unauthenticated'),
];

function authorizerOf(...lines: string[]) {
  const { policies, problems } = readPolicies(lines.join('\n'));
  assert.deepEqual(problems, []);
  return abacAuthorizer(policies);
}

describe('mode ABAC', () => {
  const allows = (lines: readonly string[], asked: ReturnType<typeof asks>): boolean =>
    (authorizerOf(...lines).authorize(asked) as { decision: string }).decision === 'allow';

  it('matches user, group, namespace, resource and API group', () => {
    const lines = [v1({ user: 'alice', namespace: 'ns', resource: 'pods', apiGroup: 'apps' })];
    const where = { namespace: 'ns', apiGroup: 'apps' };
    assert.equal(allows(lines, asks(alice, 'delete', 'pods/log', where)), true);
    for (const asked of [
      asks(bob, 'get', 'pods', where),
      asks(alice, 'get', 'secrets', where),
      asks(alice, 'get', 'pods', { ...where, namespace: 'x' }),
      asks(alice, 'get', 'pods', { namespace: 'ns' }),
      asksPath(alice, 'get', '/'),
    ]) {
      assert.equal(allows(lines, asked), false, JSON.stringify(asked));
    }
    assert.deepEqual(authorizerOf(...lines).authorize(asks(bob, 'get', 'pods')), {
      decision: 'no-opinion',
      reason: 'No policy matched.',
    });
  });

  it('requires both user and group where a line has both', () => {
    const lines = [v1({ user: 'alice', group: 'ops', namespace: '*', resource: '*', apiGroup: '*' })];
    assert.equal(allows(lines, asks(alice, 'get', 'pods')), false);
    assert.equal(allows(lines, asks(person('alice', 'ops'), 'get', 'pods')), true);
    assert.equal(allows(lines, asks(person('eve', 'ops'), 'get', 'pods')), false);
    assert.equal(allows([v1({ namespace: '*', resource: '*', apiGroup: '*' })], asks(alice, 'get', 'pods')), false);
  });

  it('reads a star as all authenticated users', () => {
    for (const who of [{ user: '*' }, { group: '*' }]) {
      const lines = [v1({ ...who, namespace: '*', resource: '*', apiGroup: '*' })];
      assert.deepEqual(
        [alice, bob, stranger].map((user) => allows(lines, asks(user, 'get', 'pods'))),
        [true, true, false],
      );
    }
  });

  it('keeps readonly lines to reads', () => {
    const lines = [
      v1({ user: 'alice', readonly: true, namespace: '*', resource: '*', apiGroup: '*', nonResourcePath: '*' }),
    ];
    assert.deepEqual(
      ['get', 'list', 'watch', 'create', 'deletecollection', ''].map((verb) =>
        allows(lines, asks(alice, verb, 'pods')),
      ),
      [true, true, true, false, false, false],
    );
    assert.deepEqual(
      ['get', 'head', 'post'].map((verb) => allows(lines, asksPath(alice, verb, '/x'))),
      [true, false, false],
    );
  });

  it('matches paths as a whole, or by prefix', () => {
    const lines = [v1({ user: 'alice', nonResourcePath: '/version' }), v1({ user: 'alice', nonResourcePath: '/api*' })];
    assert.deepEqual(
      ['/version', '/versions', '/api', '/apis/x', '/'].map((path) => allows(lines, asksPath(alice, 'get', path))),
      [true, false, true, true, false],
    );
  });

  it('reads the form without a version, in which nothing means everything', () => {
    assert.equal(
      allows(['{"user":"alice"}'], asks(alice, 'delete', 'pods', { apiGroup: 'apps', namespace: 'x' })),
      true,
    );
    assert.equal(allows(['{"user":"alice"}'], asksPath(alice, 'post', '/x')), true);
    assert.equal(allows(['{"user":"alice", "resource": "pods"}'], asksPath(alice, 'get', '/x')), false);
    assert.equal(allows(['{"user":"alice", "namespace": "n"}'], asks(alice, 'get', 'pods', { namespace: 'm' })), false);
    assert.deepEqual(
      [alice, stranger].map((user) => allows(['{"readonly": true}'], asks(user, 'get', 'pods'))),
      [true, false],
    );
  });

  it('lists the rules of a user in a namespace', async () => {
    const lines = [
      '# people',
      '',
      v1({ user: 'alice', namespace: 'ns', resource: 'pods', apiGroup: '', readonly: true }),
      v1({ group: 'devs', namespace: '*', nonResourcePath: '/x' }),
      v1({ user: 'alice', namespace: 'other', resource: 'secrets' }),
    ];
    assert.deepEqual(await authorizerOf(...lines).rulesFor(alice, 'ns'), {
      resourceRules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/x'] }],
      incomplete: false,
    });
  });

  it('reports every bad line with its number', () => {
    const { problems } = readPolicies(
      [
        '{"user":"a"}',
        '{"user":',
        '# fine',
        '[]',
        '{"apiVersion":"x/v1","kind":"Policy"}',
        v1({}).replace('Policy', 'Other'),
        '{"user": 1}',
        '{"readonly": "yes"}',
        v1([]),
      ].join('\r\n'),
    );
    assert.deepEqual(
      problems.map((problem) => problem.replace(/^(line 2): .*/, '$1')),
      [
        'line 2',
        'line 4: the line must be a JSON object',
        'line 5: unknown apiVersion "x/v1": must be "abac.authorization.kubernetes.io/v1beta1"',
        'line 6: unknown kind "Other": must be "Policy"',
        'line 7: user must be a string',
        'line 8: readonly must be true or false',
        'line 9: spec must be a JSON object',
      ],
    );
  });
});
