import assert from 'node:assert/strict';
import { asks, asksPath, person } from './authorization-testing.ts';
import { forbiddenRequest } from './forbidden.ts';

const alice = person('alice');

describe('refusals', () => {
  const cases: readonly (readonly [Parameters<typeof forbiddenRequest>[0], reason: string, message: string])[] = [
    [
      asks(alice, 'list', 'pods', { namespace: 'ns' }),
      '',
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "ns"',
    ],
    [
      asks(alice, 'get', 'deployments/scale', { namespace: 'ns', apiGroup: 'apps', name: 'x' }),
      '',
      'deployments.apps "x" is forbidden: User "alice" cannot get resource "deployments/scale" in API group "apps" in the namespace "ns"',
    ],
    [
      asks(alice, 'list', 'nodes'),
      'because',
      'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope: because',
    ],
    [asksPath(alice, 'get', '/metrics'), '', 'forbidden: User "alice" cannot get path "/metrics"'],
    [asksPath(person('a"b\n'), 'get', '/<b>&x'), '', 'forbidden: User "a\\"b\\n" cannot get path "/&lt;b&gt;&amp;x"'],
  ];
  for (const [asked, reason, message] of cases)
    it(`say: ${message}`, () => assert.equal(forbiddenRequest(asked, reason).message, message));

  it('distinguish group, kind and name', () => {
    const { status } = forbiddenRequest(
      asks(alice, 'get', 'deployments/scale', { namespace: 'ns', apiGroup: 'apps', name: 'x' }),
      '',
    );
    assert.deepEqual(
      [status.code, status.reason, status.details],
      [403, 'Forbidden', { name: 'x', group: 'apps', kind: 'deployments' }],
    );
    assert.deepEqual(forbiddenRequest(asksPath(alice, 'get', '/metrics'), '').status.details, {});
  });
});
