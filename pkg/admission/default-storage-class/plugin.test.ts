import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { defaultStorageClassPlugin } from './plugin.ts';

describe('DefaultStorageClass', () => {
  const storageClass = (name: string, annotation?: string) => ({
    metadata: { name, annotations: annotation === undefined ? {} : { [annotation]: 'true' } },
  });
  const usual = storageClass('usual', 'storageclass.kubernetes.io/is-default-class');
  const old = storageClass('old', 'storageclass.beta.kubernetes.io/is-default-class');
  const claimed = async (classes: object[], spec: object, annotations = {}) => {
    const claim = { metadata: { name: 'c', namespace: 'd', annotations }, spec };
    const plugin = defaultStorageClassPlugin(lookupOf({ 'storageclasses.storage.k8s.io': classes }));
    return (await refusalOf(plugin, requestFor('persistentvolumeclaims', claim))) ?? claim.spec;
  };

  it('sets the default class', async () => {
    assert.deepEqual(await claimed([storageClass('a'), usual], {}), { storageClassName: 'usual' });
    assert.deepEqual(await claimed([old], {}), { storageClassName: 'old' });
    assert.deepEqual(await claimed([storageClass('a')], {}), {});
  });

  it('keeps the class of the claim', async () => {
    assert.deepEqual(await claimed([usual], { storageClassName: '' }), { storageClassName: '' });
    assert.deepEqual(await claimed([usual], {}, { 'volume.beta.kubernetes.io/storage-class': 'mine' }), {});
  });

  it('cannot choose between two', async () => {
    assert.equal(
      await claimed([usual, old], {}),
      '403 persistentvolumeclaims "c" is forbidden: Internal error occurred: 2 default StorageClasses were found',
    );
  });
});
