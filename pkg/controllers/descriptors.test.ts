import assert from 'node:assert/strict';
import { controllerNames } from '../options/controller-names.ts';
import { controllerDescriptors } from './descriptors.ts';

/** What `/healthz?verbose` of a stock manager of release 1.36 has, `leaderElection` excepted. */
const STOCK =
  `serviceaccount-token endpointslice-mirroring pod-garbage-collector node-lifecycle service-cidr garbage-collector
  ttl volumeattributesclass-protection endpoints endpointslice namespace daemonset deployment clusterrole-aggregation
  ttl-after-finished resourcequota horizontal-pod-autoscaler statefulset certificatesigningrequest-cleaner ephemeral-volume
  resourceclaim disruption persistentvolume-binder root-ca-certificate-publisher device-taint-eviction serviceaccount
  persistentvolume-expander persistentvolume-protection legacy-serviceaccount-token-cleaner validatingadmissionpolicy-status
  replicationcontroller job cronjob certificatesigningrequest-approving persistentvolume-attach-detach
  persistentvolumeclaim-protection taint-eviction replicaset`
    .split(/\s+/)
    .map((name) => `${name}-controller`);
/** Policies are not evaluated. */
const ABSENT = ['validatingadmissionpolicy-status-controller'];

describe('the controllers of the manager', () => {
  const described = controllerDescriptors.map(({ name }) => name);

  it('are those of a stock manager, under its names', () => {
    assert.deepEqual(
      STOCK.filter((name) => !described.includes(name)),
      ABSENT,
    );
  });

  it('can each be selected, and are each described once', () => {
    const selectable = new Set(controllerNames.map(({ name }) => name));
    assert.deepEqual(
      described.filter((name) => !selectable.has(name)),
      [],
    );
    assert.equal(new Set(described).size, described.length);
  });
});
