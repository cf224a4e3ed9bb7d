import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { storageObjectInUseProtectionPlugin } from './plugin.ts';

describe('StorageObjectInUseProtection', () => {
  const after = async (
    resource: string,
    finalizers: string[] | undefined,
    operation: 'CREATE' | 'UPDATE' = 'CREATE',
  ) => {
    const object: { metadata: { name: string; finalizers?: string[] } } = {
      metadata: { name: 'x', ...(finalizers === undefined ? {} : { finalizers }) },
    };
    await refusalOf(storageObjectInUseProtectionPlugin(), requestFor(resource, object, { operation }));
    return object.metadata.finalizers;
  };

  it('adds its finalizer to new volumes and claims, once', async () => {
    assert.deepEqual(await after('persistentvolumes', undefined), ['kubernetes.io/pv-protection']);
    assert.deepEqual(await after('persistentvolumeclaims', ['x.io/a']), ['x.io/a', 'kubernetes.io/pvc-protection']);
    assert.deepEqual(await after('persistentvolumeclaims', ['kubernetes.io/pvc-protection']), [
      'kubernetes.io/pvc-protection',
    ]);
  });

  it('ignores everything else', async () => {
    assert.equal(await after('configmaps', undefined), undefined);
    assert.equal(await after('persistentvolumes', undefined, 'UPDATE'), undefined);
  });
});
