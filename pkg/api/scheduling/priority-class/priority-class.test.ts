import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { priorityClass } from './priority-class.ts';

const V1 = 'scheduling.k8s.io/v1';

describe('priority class', () => {
  it('preempts by default, and keeps value and policy', () => {
    const object = stored(priorityClass, 'scheduling.k8s.io/v1beta1', { metadata: { name: 'p' }, value: 5 });
    assert.deepEqual(cells(priorityClass, object), ['p', 5, false, '0s', 'PreemptLowerPriority']);
    assert.equal(object.metadata.generation, 1);
    const changed = update(priorityClass, V1, object, (p) => Object.assign(p, { value: 6, preemptionPolicy: 'Never' }));
    assert.deepEqual(changed.texts, [
      'value: Forbidden: may not be changed in an update.',
      'preemptionPolicy: Invalid value: "Never": field is immutable',
    ]);
    assert.equal(changed.object.metadata.generation, 1);
  });

  it('leaves high values and system names to the system', () => {
    const problems = (name: string, value: number, rest = {}): string[] =>
      create(priorityClass, V1, { metadata: { name }, value, ...rest }).texts;
    assert.deepEqual(problems('p', 1_000_000_001), [
      'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
    ]);
    assert.deepEqual(problems('system-node-critical', 2_000_001_000), []);
    assert.deepEqual(problems('system-x', 1), [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x is not a known system priority class",
    ]);
    assert.match(
      problems('system-node-critical', 1)[0]!,
      /value of system-node-critical PriorityClass must be 2000001000$/,
    );
    assert.match(
      problems('system-node-critical', 2_000_001_000, { globalDefault: true })[0]!,
      /globalDefault of system-node-critical PriorityClass must be false$/,
    );
    assert.deepEqual(problems('p', 1, { preemptionPolicy: 'X' }), [
      'preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"',
    ]);
    assert.deepEqual(problems('p', 1, { preemptionPolicy: '' }), ['preemptionPolicy: Required value']);
  });

  it('reads the alpha version, also as it was before it had the policy', () => {
    for (const policy of ['Never', undefined]) {
      const hub = decode(priorityClass, 'scheduling.k8s.io/v1alpha1', {
        metadata: { name: 'p' },
        value: 5,
        preemptionPolicy: policy,
      });
      assert.equal(hub.preemptionPolicy, policy ?? 'PreemptLowerPriority');
      assert.equal(serve(priorityClass, 'scheduling.k8s.io/v1alpha1', hub).preemptionPolicy, hub.preemptionPolicy);
    }
  });
});
