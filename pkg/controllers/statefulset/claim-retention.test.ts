import assert from 'node:assert/strict';
import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { OwnerReference } from '../../generated/types/meta-v1.ts';
import { goesWithEarlierPod, wantedOwners } from './claim-retention.ts';

const OF_SET: OwnerReference = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  name: 'db',
  uid: 's',
  controller: true,
  blockOwnerDeletion: true,
};
const OF_POD: OwnerReference = { ...OF_SET, apiVersion: 'v1', kind: 'Pod', name: 'db-0', uid: 'p' };
const OTHER: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };

type Policy = 'Retain' | 'Delete';

function setOf(whenScaled: Policy, whenDeleted: Policy, replicas = 1): StatefulSet {
  return {
    metadata: { name: 'db', uid: 's' },
    spec: { replicas, persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } },
    status: { replicas },
  } as StatefulSet;
}

function claimOf(ownerReferences: OwnerReference[]): PersistentVolumeClaim {
  return { metadata: { name: 'data-db-0', ownerReferences }, spec: { resources: {} }, status: {} };
}

const pod = { metadata: { name: 'db-0', uid: 'p' }, spec: { containers: [] }, status: {} } as Pod;

describe('owners of the claims of a stateful set', () => {
  const wanted = (known: OwnerReference[], ...set: Parameters<typeof setOf>): unknown =>
    wantedOwners(claimOf(known), setOf(...set), pod);

  it('are as the policy says, beside others', () => {
    assert.deepEqual(wanted([OTHER], 'Retain', 'Retain'), undefined);
    assert.deepEqual(wanted([OF_SET, OTHER], 'Retain', 'Retain'), [OTHER]);
    assert.deepEqual(wanted([OTHER], 'Retain', 'Delete'), [OTHER, OF_SET]);
    assert.deepEqual(wanted([OF_SET], 'Delete', 'Delete', 0), [OF_POD]);
    assert.deepEqual(wanted([OF_POD], 'Delete', 'Delete'), [OF_SET]);
    assert.deepEqual(wanted([OF_POD], 'Delete', 'Retain'), []);
  });

  it('stay whatever their order, and without blocking the deletion', () => {
    assert.equal(wanted([OF_SET, OTHER], 'Retain', 'Delete'), undefined);
    assert.equal(wanted([{ ...OF_SET, blockOwnerDeletion: false }], 'Retain', 'Delete'), undefined);
    assert.deepEqual(wanted([{ ...OF_SET, controller: false }], 'Retain', 'Delete'), [OF_SET]);
  });

  it('stay where something else controls the claim, or an earlier set or pod did', () => {
    const foreign = { ...OTHER, controller: true };
    assert.equal(wanted([foreign], 'Retain', 'Delete'), undefined);
    assert.deepEqual(wanted([foreign, OF_SET], 'Retain', 'Delete'), [foreign]);
    assert.equal(wanted([{ ...OF_SET, uid: 'old' }], 'Retain', 'Delete'), undefined);
    assert.equal(wanted([{ ...OF_POD, uid: 'old' }], 'Retain', 'Retain'), undefined);
  });

  it('show that a claim goes with an earlier pod, where scaling deletes claims', () => {
    const claim = claimOf([{ ...OF_POD, uid: 'old' }]);
    assert.equal(goesWithEarlierPod(claim, setOf('Delete', 'Retain'), pod), true);
    assert.equal(goesWithEarlierPod(claim, setOf('Retain', 'Delete'), pod), false);
    assert.equal(goesWithEarlierPod(claimOf([OF_POD]), setOf('Delete', 'Retain'), pod), false);
  });
});
