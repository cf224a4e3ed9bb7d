import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { runtimeClass } from './runtime-class.ts';

const V1 = 'node.k8s.io/v1';
const ALPHA = 'node.k8s.io/v1alpha1';
const metadata = { name: 'r' };

describe('runtime class', () => {
  it('has a handler, which stays', () => {
    assert.match(
      create(runtimeClass, V1, { metadata }).texts[0]!,
      /^handler: Invalid value: "": a lowercase RFC 1123 label/,
    );
    const object = stored(runtimeClass, 'node.k8s.io/v1beta1', { metadata, handler: 'h' });
    assert.deepEqual(cells(runtimeClass, object), ['r', 'h', '0s']);
    assert.deepEqual(update(runtimeClass, V1, object, (r) => (r.handler = 'i')).texts, [
      'handler: Invalid value: "i": field is immutable',
    ]);
  });

  it('reads the alpha version', () => {
    const spec = {
      runtimeHandler: 'h',
      overhead: { podFixed: { cpu: '1' } },
      scheduling: { nodeSelector: { a: 'b' } },
    };
    const hub = decode(runtimeClass, ALPHA, { metadata, spec });
    assert.deepEqual(
      [hub.handler, hub.overhead, hub.scheduling, hub.spec],
      ['h', spec.overhead, spec.scheduling, undefined],
    );
    assert.deepEqual(serve(runtimeClass, ALPHA, hub).spec, spec);
  });

  it('refuses odd overhead and repeated tolerations', () => {
    const toleration = { key: 'a', operator: 'Exists', effect: 'NoExecute' };
    const tolerations = [
      toleration,
      { ...toleration, tolerationSeconds: 5 },
      { key: 'b', operator: 'Exists', value: 'c' },
    ];
    assert.deepEqual(
      create(runtimeClass, V1, {
        metadata,
        handler: 'h',
        overhead: { podFixed: { cpu: '-1' } },
        scheduling: { tolerations },
      }).texts,
      [
        'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        'scheduling.tolerations.tolerations[2].operator: Invalid value: {"Key":"b","Operator":"Exists","Value":"c","Effect":"","TolerationSeconds":null}: ' +
          "value must be empty when `operator` is 'Exists'",
        'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"","Effect":"NoExecute","TolerationSeconds":5}',
      ],
    );
  });
});
