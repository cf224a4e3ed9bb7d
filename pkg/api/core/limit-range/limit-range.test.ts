import assert from 'node:assert/strict';
import { create, update } from '../../kind-testing.ts';
import { limitRange } from './limit-range.ts';

function limits(...items: object[]): object {
  return { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' }, spec: { limits: items } };
}

/** Causes without the printed amount. */
function causes(...items: object[]): string[] {
  return create(limitRange, 'v1', limits(...items)).texts.map((text) =>
    text.replace(/(Invalid value: )"[0-9]+[a-zA-Z]*": /, '$1'),
  );
}

describe('limitranges', () => {
  it('derives defaults of containers from their bounds', () => {
    const created = create(
      limitRange,
      'v1',
      limits({
        type: 'Container',
        max: { cpu: '2', memory: '1Gi' },
        min: { 'ephemeral-storage': '1.0001' },
        defaultRequest: { cpu: '100m' },
      }),
    );
    assert.deepEqual(created.texts, []);
    const [item] = created.as('v1').spec.limits;
    assert.deepEqual(item.default, { cpu: '2', memory: '1Gi' });
    assert.deepEqual(item.defaultRequest, { cpu: '100m', 'ephemeral-storage': '1001m', memory: '1Gi' });
    assert.deepEqual(create(limitRange, 'v1', limits({ type: 'Pod', max: { cpu: '2' } })).as('v1').spec.limits, [
      { type: 'Pod', max: { cpu: '2' } },
    ]);
  });

  it('generates a name', () => {
    const { object, texts } = create(limitRange, 'v1', { metadata: {}, spec: {} });
    assert.deepEqual(texts, []);
    assert.match(object.metadata.name, /^[0-9a-f-]{36}$/);
  });

  it('checks types and names', () => {
    assert.deepEqual(causes({ type: 'Own' }, { type: 'Own', max: { nope: '1' } }), [
      'spec.limits[0].type: Invalid value: "Own": must be a standard limit type or fully qualified',
      'spec.limits[1].type: Invalid value: "Own": must be a standard limit type or fully qualified',
      'spec.limits[1].type: Duplicate value: "Own"',
      'spec.limits[1].max[nope]: Invalid value: "nope": must be a standard resource type or fully qualified',
    ]);
    assert.deepEqual(causes({ type: 'Pod', default: { cpu: '1' }, max: { pods: '1' } }), [
      'spec.limits[0].max[pods]: Invalid value: "pods": must be a standard resource for containers',
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    ]);
    assert.deepEqual(causes({ type: 'PersistentVolumeClaim' }), [
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ]);
  });

  it('keeps amounts in order', () => {
    assert.deepEqual(
      causes({
        type: 'Container',
        max: { cpu: '1' },
        min: { cpu: '2' },
        default: { cpu: '3' },
        defaultRequest: { cpu: '4' },
        maxLimitRequestRatio: { cpu: '500m' },
      }),
      [
        'spec.limits[0].min[cpu]: Invalid value: min value 2 is greater than max value 1',
        'spec.limits[0].defaultRequest[cpu]: Invalid value: default request value 4 is greater than max value 1',
        'spec.limits[0].defaultRequest[cpu]: Invalid value: default request value 4 is greater than default limit value 3',
        'spec.limits[0].default[cpu]: Invalid value: default value 3 is greater than max value 1',
        'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: ratio 500m is less than 1',
      ],
    );
    assert.deepEqual(
      causes({ type: 'Pod', max: { cpu: '2' }, min: { cpu: '1' }, maxLimitRequestRatio: { cpu: '3' } }),
      ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: ratio 3 is greater than max/min = 2.000000'],
    );
    assert.deepEqual(
      causes({ type: 'Container', default: { 'hugepages-2Mi': '4Mi' }, defaultRequest: { 'hugepages-2Mi': '2Mi' } }),
      [
        'spec.limits[0].defaultRequest[hugepages-2Mi]: Invalid value: default value 4Mi must equal to defaultRequest value 2Mi in hugepages-2Mi',
      ],
    );
    assert.match(
      create(limitRange, 'v1', limits({ type: 'Pod', max: { cpu: '1' }, min: { cpu: '2' } })).texts[0]!,
      /Invalid value: "2": /,
    );
  });

  it('checks updates alike', () => {
    const { object } = create(limitRange, 'v1', limits({ type: 'Pod' }));
    object.metadata.resourceVersion = '1';
    assert.deepEqual(update(limitRange, 'v1', object, (o) => void (o.spec.limits[0].type = 'x')).texts, [
      'spec.limits[0].type: Invalid value: "x": must be a standard limit type or fully qualified',
    ]);
    assert.equal(
      update(limitRange, 'v1', object, (o) => void (o.metadata.labels = { 'bad key!': '' })).texts.length,
      3,
    );
  });
});
