import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { persistentVolumeClaimResizePlugin } from './plugin.ts';

describe('PersistentVolumeClaimResize', () => {
  const classes = [{ metadata: { name: 'grows' }, allowVolumeExpansion: true }, { metadata: { name: 'fixed' } }];
  const plugin = persistentVolumeClaimResizePlugin(lookupOf({ 'storageclasses.storage.k8s.io': classes }));
  const claim = (storage: string, storageClassName: string | undefined, phase = 'Bound') => ({
    metadata: { name: 'c', namespace: 'd' },
    spec: { resources: { requests: { storage } }, storageClassName },
    status: { phase },
  });
  const resize = (to: string, storageClassName: string | undefined, phase?: string) =>
    refusalOf(
      plugin,
      requestFor('persistentvolumeclaims', claim(to, storageClassName), {
        operation: 'UPDATE',
        oldObject: claim('1Gi', storageClassName, phase),
      }),
    );

  it('allows volumes to grow where their class does', async () => {
    assert.equal(await resize('2Gi', 'grows'), undefined);
    assert.equal(await resize('1024Mi', undefined), undefined);
    assert.equal(await resize('1', undefined), undefined);
  });

  it('refuses the others', async () => {
    const fixed =
      '403 persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
    assert.equal(await resize('2Gi', 'fixed'), fixed);
    assert.equal(await resize('2Gi', 'unknown'), fixed);
    assert.equal(await resize('2Gi', undefined), fixed);
    assert.equal(
      await resize('2Gi', 'grows', 'Pending'),
      '403 persistentvolumeclaims "c" is forbidden: Only bound persistent volume claims can be expanded',
    );
  });
});
