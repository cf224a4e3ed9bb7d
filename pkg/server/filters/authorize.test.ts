import assert from 'node:assert/strict';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { person, saying } from '../../authorization/authorization-testing.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { RequestContext } from '../request/request-context.ts';
import { authorize } from './authorize.ts';
import { requestOf } from './filter-testing.ts';

const alice = person('alice');

describe('authorize', () => {
  /** Passes a request through the filter; returns its audit annotations and its result. */
  async function pass(
    authorizer: Authorizer,
    expected: string,
  ): Promise<{ annotations: [string, string][]; outcome: unknown }> {
    const results: string[] = [];
    const { context, answer } = requestOf('GET', '/api/v1/namespaces/ns/pods', {}, alice);
    const reached: RequestContext[] = [];
    const outcome = await authorize(authorizer, { authorized: (result) => void results.push(result) })(
      async (c) => void reached.push(c),
    )(context).then(
      () => 'passed',
      (error: unknown) => error,
    );
    assert.equal(reached.length, outcome === 'passed' ? 1 : 0);
    assert.deepEqual(results, [expected]);
    assert.deepEqual(answer.headers, outcome instanceof StatusError ? { 'x-content-type-options': 'nosniff' } : {});
    return { annotations: [...(context.annotations ?? [])], outcome };
  }

  it('passes allowed requests, and records why', async () => {
    assert.deepEqual(await pass(saying('allow', 'told so'), 'allowed'), {
      annotations: [
        ['authorization.k8s.io/decision', 'allow'],
        ['authorization.k8s.io/reason', 'told so'],
      ],
      outcome: 'passed',
    });
  });

  it('refuses what is denied, and what no authorizer allows', async () => {
    for (const decision of ['deny', 'no-opinion'] as const) {
      const { annotations, outcome } = await pass(
        saying(decision, 'never'),
        decision === 'deny' ? 'denied' : 'no-opinion',
      );
      assert.deepEqual(annotations, [
        ['authorization.k8s.io/decision', 'forbid'],
        ['authorization.k8s.io/reason', 'never'],
      ]);
      assert.ok(outcome instanceof StatusError);
      assert.deepEqual(
        [outcome.code, outcome.message],
        [
          403,
          'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "ns": never',
        ],
      );
    }
  });

  it('passes nothing when no authorizer can decide', async () => {
    const failure = new Error('down');
    assert.deepEqual(await pass(saying(failure), 'error'), {
      annotations: [['authorization.k8s.io/reason', 'internal error']],
      outcome: failure,
    });
  });
});
