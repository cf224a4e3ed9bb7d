import assert from 'node:assert/strict';
import { deployments, replicaSets } from '../../api/apps/tokens.ts';
import { pods } from '../../api/core/tokens.ts';
import { resourceToken } from '../../api/resource.ts';
import type { ApiObject, OwnerReference } from '../../apimachinery/meta/object.ts';
import { controllerOf, controllerReference, isControlledBy, ownerReference, refersTo } from './owner-references.ts';

const owner: ApiObject = { metadata: { namespace: 'n', name: 'web', uid: 'u' } };
const owned = (...ownerReferences: OwnerReference[]): ApiObject => ({ metadata: { name: 'x', ownerReferences } });

describe('owner references', () => {
  it('name the kind, the name and the uid', () => {
    const base = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u' };
    assert.deepEqual(ownerReference(deployments, owner), base);
    assert.deepEqual(controllerReference(deployments, owner), { ...base, controller: true, blockOwnerDeletion: true });
    assert.equal(ownerReference(pods, owner).apiVersion, 'v1');
  });

  it('have at most one controller, which is known by its uid', () => {
    const other = ownerReference(replicaSets, { metadata: { name: 'web', uid: 'other' } });
    const object = owned(other, controllerReference(deployments, owner));
    assert.equal(controllerOf(object)?.uid, 'u');
    assert.equal(isControlledBy(object, owner), true);
    assert.equal(isControlledBy(object, { metadata: { name: 'web', uid: 'other' } }), false);
    assert.equal(controllerOf(owned(other)), undefined);
    assert.equal(isControlledBy({ metadata: {} }, { metadata: {} }), false);
  });

  it('refer to a kind in any version of its group', () => {
    const reference = { ...ownerReference(deployments, owner), apiVersion: 'apps/v1beta1' };
    assert.equal(refersTo(reference, deployments), true);
    assert.equal(refersTo(reference, replicaSets), false);
    assert.equal(refersTo({ ...reference, apiVersion: 'v1' }, deployments), false);
    assert.equal(refersTo(reference, resourceToken('example.com/v1', 'deployments', 'Deployment', true)), false);
  });
});
