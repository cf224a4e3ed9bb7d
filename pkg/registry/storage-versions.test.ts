import assert from 'node:assert/strict';
import { allResources } from '../api/all-resources.ts';
import { withStorageVersions } from './storage-versions.ts';

describe('withStorageVersions', () => {
  const changed = (...items: string[]): Record<string, string> => {
    const { resources } = withStorageVersions(allResources, items);
    return Object.fromEntries(
      resources.filter((d, i) => d !== allResources[i]).map((d) => [d.resource, d.storageVersion]),
    );
  };

  it('moves the resources of a group that have the version', () => {
    assert.deepEqual(changed('policy/v1beta1'), {
      poddisruptionbudgets: 'policy/v1beta1',
      podsecuritypolicies: 'policy/v1beta1',
    });
    assert.deepEqual(changed('apps/v1beta1'), {
      controllerrevisions: 'apps/v1beta1',
      deployments: 'apps/v1beta1',
      statefulsets: 'apps/v1beta1',
    });
  });

  it('moves resources to a version that they have in another group', () => {
    assert.deepEqual(changed('networking.k8s.io=extensions/v1beta1'), {
      ingresses: 'extensions/v1beta1',
      networkpolicies: 'extensions/v1beta1',
    });
  });

  it('changes nothing without items, and lets the last item count', () => {
    assert.deepEqual(changed(), {});
    assert.equal(changed('apps/v1beta1', 'apps/v1beta2')['deployments'], 'apps/v1beta2');
  });

  it('accepts the default of release 1.11, with versions of reviews and of configuration', () => {
    const { problems } = withStorageVersions(allResources, [
      'admission.k8s.io/v1beta1',
      'admissionregistration.k8s.io/v1beta1',
      'apps/v1',
      'authentication.k8s.io/v1',
      'authorization.k8s.io/v1',
      'autoscaling/v1',
      'batch/v1',
      'certificates.k8s.io/v1beta1',
      'componentconfig/v1alpha1',
      'events.k8s.io/v1beta1',
      'extensions/v1beta1',
      'imagepolicy.k8s.io/v1alpha1',
      'networking.k8s.io/v1',
      'policy/v1beta1',
      'rbac.authorization.k8s.io/v1',
      'scheduling.k8s.io/v1beta1',
      'settings.k8s.io/v1alpha1',
      'storage.k8s.io/v1',
      'v1',
    ]);
    assert.deepEqual(problems, []);
    const unknown = ['extensions/v9', 'authentication.k8s.io/v9', 'nothing=admission.k8s.io/v1'];
    assert.deepEqual(
      withStorageVersions(allResources, unknown).problems.map(([item]) => item),
      unknown,
    );
  });

  it('reports items without any match', () => {
    const { problems, resources } = withStorageVersions(allResources, [
      'apps/v9',
      'nothing/v1',
      'apps=policy/v1',
      'v2',
    ]);
    assert.deepEqual(problems, [
      ['apps/v9', 'no resource of the group apps has the version apps/v9'],
      ['nothing/v1', 'no resource is stored in the group nothing'],
      ['apps=policy/v1', 'no resource of the group apps has the version policy/v1'],
      ['v2', 'no resource of the group core has the version v2'],
    ]);
    assert.deepEqual(resources, allResources);
  });
});
