import assert from 'node:assert/strict';
import { builtInRegistry } from '../../api/built-in-registry.ts';
import { withEnabledVersions } from '../documents/enabled-resources.ts';
import { servedResources, type ServedResource } from '../documents/served-resources.ts';
import { groupsOf } from './groups.ts';

describe('order of groups and versions', () => {
  const registry = builtInRegistry((resources) => withEnabledVersions(resources, () => true));
  const builtIn = servedResources(registry);
  const pods = builtIn.find(({ resource }) => resource === 'pods')!;
  /** One resource in each version of a group: those of the registry where it has the group. */
  const inVersions = (group: string, versions: readonly string[]): ServedResource[] =>
    versions.map((version) => {
      const groupVersion = `${group}/${version}`;
      const priority = registry.priorityOf(groupVersion) ?? { group: 1000, version: 0 };
      return { ...pods, group, version, groupVersion, priority };
    });

  it('lists groups as stock servers do, custom ones last by name', () => {
    const expected = [
      'apiregistration.k8s.io',
      '',
      'apps',
      'events.k8s.io',
      'authentication.k8s.io',
      'authorization.k8s.io',
      'autoscaling',
      'batch',
      'certificates.k8s.io',
      'networking.k8s.io',
      'extensions',
      'policy',
      'rbac.authorization.k8s.io',
      'settings.k8s.io',
      'storage.k8s.io',
      'admissionregistration.k8s.io',
      'apiextensions.k8s.io',
      'scheduling.k8s.io',
      'coordination.k8s.io',
      'node.k8s.io',
      'discovery.k8s.io',
      'resource.k8s.io',
      'flowcontrol.apiserver.k8s.io',
      'constructor',
      'example.com',
      'stable.example.com',
    ];
    const custom = ['stable.example.com', 'constructor', 'example.com'].flatMap((group) => inVersions(group, ['v1']));
    assert.deepEqual(
      groupsOf([...custom, ...builtIn]).map(({ name }) => name),
      expected,
    );
  });

  const rows: [group: string, versions: string[]][] = [
    ['autoscaling', ['v2', 'v1', 'v2beta1']],
    ['batch', ['v1', 'v1beta1', 'v2alpha1']],
    ['apps', ['v1', 'v1beta2', 'v1beta1']],
    ['flowcontrol.apiserver.k8s.io', ['v1', 'v1beta3', 'v1beta2', 'v1beta1']],
    ['example.com', ['v10', 'v2', 'v1', 'v11beta2', 'v3beta1', 'v12alpha1', 'alpha', 'constructor', 'v0x']],
  ];
  for (const [group, versions] of rows) {
    it(`prefers ${versions[0]} in ${group}`, () => {
      const [found] = groupsOf(inVersions(group, versions.toSorted()));
      assert.deepEqual(
        found!.versions.map(({ version }) => version),
        versions,
      );
    });
  }
});
