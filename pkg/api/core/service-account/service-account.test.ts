import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import { serviceAccount } from './service-account.ts';

describe('serviceaccounts', () => {
  it('keeps only the names of secrets', () => {
    const created = create(serviceAccount, 'v1', {
      metadata: { name: 'sa' },
      secrets: [{ kind: 'Secret', name: 'a', namespace: 'other' }],
      imagePullSecrets: [{ name: 'p' }],
    });
    assert.deepEqual(created.texts, []);
    assert.deepEqual(created.as('v1').secrets, [{ name: 'a' }]);
    assert.deepEqual(cells(serviceAccount, created.object), ['sa', '0s']);
    created.object.metadata.resourceVersion = '1';
    const updated = update(serviceAccount, 'v1', created.object, (o) => void o.secrets.push({ name: 'b', uid: 'u' }));
    assert.deepEqual(updated.as('v1').secrets, [{ name: 'a' }, { name: 'b' }]);
  });

  it('lists a bad label as often as stock servers do', () => {
    const { object } = create(serviceAccount, 'v1', { metadata: { name: 'sa' } });
    object.metadata.resourceVersion = '1';
    assert.equal(
      update(serviceAccount, 'v1', object, (o) => void (o.metadata.labels = { 'bad key!': 'x' })).texts.length,
      4,
    );
  });
});
