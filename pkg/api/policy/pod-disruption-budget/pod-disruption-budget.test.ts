import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { podDisruptionBudget as budget } from './pod-disruption-budget.ts';

const V1 = 'policy/v1';
const V1BETA1 = 'policy/v1beta1';
const MARK = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

function body(spec: object = {}, name = 'b'): object {
  return { metadata: { name }, spec };
}

describe('pod disruption budget', () => {
  it('accepts nothing at all, and almost any name', () => {
    assert.deepEqual(create(budget, V1, body()).texts, []);
    assert.deepEqual(create(budget, V1, body({}, 'Not_A_Name!')).texts, []);
    assert.deepEqual(create(budget, V1, body({}, 'a/b')).texts, [
      'metadata.name: Invalid value: "a/b": may not contain \'/\'',
    ]);
    assert.equal(create(budget, V1, body()).object.metadata.generation, 1);
  });

  const cases: [string, object, string[]][] = [
    [
      'more than all',
      { minAvailable: '150%', selector: {} },
      ['spec.minAvailable: Invalid value: "150%": must not be greater than 100%'],
    ],
    [
      'a negative number',
      { maxUnavailable: -1 },
      ['spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'both limits',
      { minAvailable: 1, maxUnavailable: 1 },
      ['spec: Invalid value: policy.PodDisruptionBudgetSpec{...}: minAvailable and maxUnavailable cannot be both set'],
    ],
    [
      'an unknown eviction policy',
      { unhealthyPodEvictionPolicy: 'Never' },
      [
        'spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
      ],
    ],
    [
      'a bad selector',
      { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      [
        "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
  ];
  for (const [name, spec, expected] of cases)
    it(`refuses ${name}`, () => assert.deepEqual(create(budget, V1, body(spec)).texts, expected));

  describe('selector', () => {
    const marked = (operator: string) => ({ matchExpressions: [{ key: MARK, operator }] });
    const through = (from: string, selector: object | undefined, to: string) =>
      create(budget, from, body({ selector })).as(to).spec.selector;

    it('inverts an empty one between the versions', () => {
      assert.deepEqual(through(V1, {}, V1BETA1), marked('DoesNotExist'));
      assert.deepEqual(through(V1BETA1, {}, V1), marked('Exists'));
      assert.deepEqual(through(V1BETA1, {}, V1BETA1), {});
      assert.deepEqual(through(V1BETA1, marked('DoesNotExist'), V1), {});
      assert.deepEqual(through(V1, marked('Exists'), V1BETA1), {});
      assert.deepEqual(through(V1, marked('Exists'), V1), marked('Exists'));
    });

    it('keeps others, without the mark', () => {
      const selector = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] };
      const withMark = {
        ...selector,
        matchExpressions: [...selector.matchExpressions, { key: MARK, operator: 'Exists' }],
      };
      for (const version of [V1, V1BETA1]) {
        assert.deepEqual(through(version, selector, V1), selector);
        assert.deepEqual(through(version, selector, V1BETA1), selector);
        assert.deepEqual(through(version, withMark, V1), selector);
        assert.equal(through(version, undefined, V1BETA1), undefined);
      }
    });
  });

  it('is mutable, with a generation', () => {
    const { object, texts } = update(budget, V1, stored(budget, V1, body({ minAvailable: 1 })), (b) => {
      b.spec = { maxUnavailable: '10%', selector: {} };
    });
    assert.deepEqual(texts, []);
    assert.equal(object.metadata.generation, 2);
    assert.equal(budget.allowUnconditionalUpdate, false);
  });

  it('checks the status, its counts not through v1beta1', () => {
    const old = stored(budget, V1, body());
    const change = (b: { status: object }) => {
      Object.assign(b.status, {
        disruptionsAllowed: -1,
        conditions: [
          { type: 'A', status: 'Yes', observedGeneration: -1, lastTransitionTime: null, reason: '', message: '' },
          {
            type: 'A',
            status: 'True',
            lastTransitionTime: '2026-01-01T00:00:00Z',
            reason: '1',
            message: 'x'.repeat(32769),
          },
        ],
      });
    };
    const common = [
      'status.conditions[0].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
      'status.conditions[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
      'status.conditions[0].lastTransitionTime: Required value: must be set',
      'status.conditions[0].reason: Required value: must be set',
      'status.conditions[1].type: Duplicate value: "A"',
      'status.conditions[1].reason: Invalid value: "1": a condition reason must start with alphabetic character, optionally followed by a string of ' +
        "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or " +
        "'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')",
      'status.conditions[1].message: Too long: must have at most 32768 bytes',
    ];
    const count = 'status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0';
    assert.deepEqual(update(budget, V1, old, change, { subresource: 'status' }).texts, [...common, count]);
    assert.deepEqual(update(budget, V1BETA1, old, change, { subresource: 'status' }).texts, common);
  });

  it('survives v1beta1 unchanged', () => {
    const { object } = create(budget, V1, body({ minAvailable: '50%', selector: { matchLabels: { a: 'b' } } }));
    assert.deepEqual(
      serve(budget, V1, decode(budget, V1BETA1, serve(budget, V1BETA1, object))),
      serve(budget, V1, object),
    );
  });

  it('prints a row', () => {
    assert.deepEqual(cells(budget, create(budget, V1, body({ minAvailable: '50%' })).object), [
      'b',
      '50%',
      'N/A',
      0,
      '0s',
    ]);
    assert.deepEqual(cells(budget, create(budget, V1, body({ maxUnavailable: 2 })).object), ['b', 'N/A', '2', 0, '0s']);
  });
});
