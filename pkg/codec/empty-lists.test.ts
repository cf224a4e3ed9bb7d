import assert from 'node:assert/strict';
import { EmptyLists } from './empty-lists.ts';
import { schemaOf } from './schemas.ts';

function dropped(message: string, object: object): unknown {
  new EmptyLists(schemaOf(message)).drop(object);
  return object;
}

describe('EmptyLists', () => {
  it('are null where the list is required, and gone where it is not', () => {
    assert.deepEqual(dropped('rbac/v1.ClusterRole', { metadata: { name: 'r', finalizers: [] }, rules: [] }), {
      metadata: { name: 'r' },
      rules: null,
    });
    assert.deepEqual(dropped('core/v1.Namespace', { spec: { finalizers: [] }, status: { conditions: [] } }), {
      spec: {},
      status: {},
    });
  });

  it('leave everything else as it is', () => {
    const role = {
      metadata: { labels: {}, finalizers: ['a/b'] },
      rules: [{ verbs: ['get'] }],
      aggregationRule: { clusterRoleSelectors: null },
    };
    assert.deepEqual(dropped('rbac/v1.ClusterRole', structuredClone(role)), role);
    assert.deepEqual(dropped('core/v1.ConfigMap', { data: { a: '' } }), { data: { a: '' } });
  });

  it('are found in types that contain themselves', () => {
    assert.deepEqual(dropped('apiextensions/v1.JSONSchemaProps', { required: [], not: { required: [] } }), {
      not: { required: [] },
    });
  });
});
