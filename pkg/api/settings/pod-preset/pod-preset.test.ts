import assert from 'node:assert/strict';
import { create, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { podPreset } from './pod-preset.ts';

const V1ALPHA1 = 'settings.k8s.io/v1alpha1';

function body(spec: object): object {
  return { metadata: { name: 'p' }, spec: { selector: { matchLabels: { a: 'b' } }, ...spec } };
}

const errorsOf = (spec: object) => create(podPreset, V1ALPHA1, body(spec)).texts;

describe('pod preset', () => {
  it('adds variables and volumes', () => {
    const { object, texts } = create(
      podPreset,
      V1ALPHA1,
      body({
        env: [
          { name: 'A', value: 'b' },
          { name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
        envFrom: [{ configMapRef: { name: 'c' } }],
        volumes: [{ name: 'v', secret: { secretName: 's' } }],
        volumeMounts: [{ name: 'v', mountPath: '/v', mountPropagation: 'Bidirectional' }],
      }),
    );
    assert.deepEqual(texts, []);
    assert.equal(object.spec.volumes[0].secret.defaultMode, 420);
    assert.equal(object.spec.env[1].valueFrom.fieldRef.apiVersion, 'v1');
    assert.equal(object.metadata.generation, undefined);
  });

  it('has to add something', () => {
    assert.deepEqual(errorsOf({}), [
      'spec.volumes.env.envFrom.volumeMounts: Required value: must specify at least one',
    ]);
  });

  it('refuses what pods would refuse', () => {
    assert.deepEqual(errorsOf({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }), [
      'spec.volumeMounts[0].name: Not found: "v"',
    ]);
    assert.deepEqual(errorsOf({ env: [{ name: '' }] }), ['spec.env[0].name: Required value']);
  });

  it('is checked again in updates', () => {
    const old = stored(podPreset, V1ALPHA1, body({ env: [{ name: 'A' }] }));
    assert.equal(
      update(podPreset, V1ALPHA1, old, (p) => {
        delete p.spec.env;
      }).texts.length,
      1,
    );
    assert.deepEqual(
      update(podPreset, V1ALPHA1, old, (p) => {
        p.spec.env[0].value = 'b';
      }).texts,
      [],
    );
  });
});
