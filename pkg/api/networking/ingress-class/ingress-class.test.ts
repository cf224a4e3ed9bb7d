import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import { ingressClass } from './ingress-class.ts';

const V1 = 'networking.k8s.io/v1';

function problems(spec: object): string[] {
  return create(ingressClass, V1, { metadata: { name: 'c' }, spec }).texts;
}

describe('ingress class', () => {
  it('gives parameters the scope of the cluster', () => {
    const body = {
      metadata: { name: 'c' },
      spec: { controller: 'a.io/b', parameters: { apiGroup: 'x.io', kind: 'K', name: 'n' } },
    };
    for (const version of [V1, 'networking.k8s.io/v1beta1']) {
      const { object } = create(ingressClass, version, body);
      assert.equal(object.spec.parameters.scope, 'Cluster');
      assert.deepEqual(cells(ingressClass, object), ['c', 'a.io/b', 'K.x.io/n', '0s']);
    }
  });

  it('refuses a missing controller and a wrong namespace', () => {
    assert.deepEqual(problems({}), ['spec.controller: Required value']);
    assert.deepEqual(problems({ controller: 'x' }), [
      'spec.controller: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")',
    ]);
    const reference = { kind: 'K', name: 'n' };
    assert.deepEqual(problems({ controller: 'a.io/b', parameters: { ...reference, scope: 'Namespace' } }), [
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ]);
    assert.deepEqual(problems({ controller: 'a.io/b', parameters: { ...reference, namespace: 'x' } }), [
      "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
    ]);
    assert.deepEqual(problems({ controller: 'a.io/b', parameters: { ...reference, scope: 'World' } }), [
      'spec.parameters.scope: Unsupported value: "World": supported values: "Cluster", "Namespace"',
    ]);
  });

  it('keeps its controller', () => {
    const { object } = create(ingressClass, V1, { metadata: { name: 'c' }, spec: { controller: 'a.io/b' } });
    object.metadata.resourceVersion = '1';
    assert.deepEqual(update(ingressClass, V1, object, (c) => (c.spec.controller = 'a.io/c')).texts, [
      'spec.controller: Invalid value: "a.io/c": field is immutable',
    ]);
  });
});
