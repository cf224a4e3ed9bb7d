import assert from 'node:assert/strict';
import { FieldErrors, fieldErrorText } from '../../apimachinery/errors/field-errors.ts';
import { buildScale, scaleReplicas, scaleVersionOf, validateScale } from './scale.ts';

const PARENT = {
  name: 'x',
  namespace: 'n',
  uid: 'u',
  resourceVersion: '7',
  creationTimestamp: '2026-01-02T03:04:05Z',
  generation: 4,
  labels: { a: 'b' },
  annotations: { c: 'd' },
};
const COUNTS = { specReplicas: 3, statusReplicas: 2, selector: 'app=a', matchLabels: { app: 'a' } };
const METADATA = {
  name: 'x',
  namespace: 'n',
  uid: 'u',
  resourceVersion: '7',
  creationTimestamp: '2026-01-02T03:04:05Z',
};

describe('scale', () => {
  it('has the selector as text in autoscaling/v1', () => {
    assert.deepEqual(buildScale(PARENT, COUNTS, 'autoscaling/v1'), {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: METADATA,
      spec: { replicas: 3 },
      status: { replicas: 2, selector: 'app=a' },
    });
  });

  it('has it as a map as well in the older versions, where a map can express it', () => {
    for (const version of ['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2'] as const) {
      assert.deepEqual(buildScale(PARENT, COUNTS, version), {
        kind: 'Scale',
        apiVersion: version,
        metadata: METADATA,
        spec: { replicas: 3 },
        status: { replicas: 2, selector: { app: 'a' }, targetSelector: 'app=a' },
      });
      const { status } = buildScale(PARENT, { specReplicas: 0, statusReplicas: 0, selector: 'app in (a,b)' }, version);
      assert.deepEqual(status, { replicas: 0, targetSelector: 'app in (a,b)' });
    }
  });

  it('leaves out zero and an empty selector', () => {
    const { spec, status } = buildScale(PARENT, { specReplicas: 0, statusReplicas: 0, selector: '' }, 'autoscaling/v1');
    assert.deepEqual([spec, status], [{}, { replicas: 0 }]);
  });

  it('follows the version of its object', () => {
    assert.deepEqual(['apps/v1', 'v1', 'apps/v1beta2', 'extensions/v1beta1'].map(scaleVersionOf), [
      'autoscaling/v1',
      'autoscaling/v1',
      'apps/v1beta2',
      'extensions/v1beta1',
    ]);
  });

  it('refuses fewer than no replicas', () => {
    const errors = new FieldErrors();
    const scale = { metadata: { name: 'x', namespace: 'n' }, spec: { replicas: -2 }, status: { replicas: 0 } };
    validateScale(scale, errors);
    assert.equal(scaleReplicas(scale), -2);
    assert.deepEqual(errors.items.map(fieldErrorText), [
      'spec.replicas: Invalid value: -2: must be greater than or equal to 0',
    ]);
  });
});
