import assert from 'node:assert/strict';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { exportObject } from './export-object.ts';

const object = (metadata: object = {}) =>
  ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: 'a',
      namespace: 'n',
      uid: 'u',
      resourceVersion: '7',
      generation: 2,
      creationTimestamp: '2024-01-02T03:04:05Z',
      deletionTimestamp: '2024-01-02T03:04:05Z',
      deletionGracePeriodSeconds: 3,
      selfLink: '/x',
      managedFields: [],
      labels: { a: 'b' },
      ...metadata,
    },
    spec: { nodeName: 'x' },
    status: { phase: 'Running' },
  }) as unknown as ApiObject;

describe('exportObject', () => {
  it('strips fields that a user cannot set', () => {
    assert.deepEqual(exportObject(object(), false), {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'a', labels: { a: 'b' } },
      spec: { nodeName: 'x' },
    });
  });
  it('keeps the namespace when exact', () =>
    assert.deepEqual(exportObject(object(), true).metadata, { name: 'a', namespace: 'n', labels: { a: 'b' } }));
  it('drops a generated name, unless exact', () => {
    assert.equal(exportObject(object({ generateName: 'a-' }), false).metadata.name, undefined);
    assert.equal(exportObject(object({ generateName: 'a-' }), true).metadata.name, 'a');
  });
});
