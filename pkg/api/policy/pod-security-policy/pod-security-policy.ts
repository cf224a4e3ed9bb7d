import type { PodSecurityPolicy } from '../../../generated/types/policy-v1beta1.ts';
import { defineResource, type TableDefinition } from '../../resource-definition.ts';
import { validatePodSecurityPolicy, validatePolicyName } from './validation.ts';

/** Policies from before the field existed stay permissive. */
function setPodSecurityPolicyDefaults({ spec }: PodSecurityPolicy): void {
  spec.allowPrivilegeEscalation ??= true;
}

const table: TableDefinition<PodSecurityPolicy> = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the policy.' },
    { name: 'Priv', type: 'string', description: 'Whether pods may run privileged.' },
    { name: 'Caps', type: 'string', description: 'Capabilities that containers may add.' },
    { name: 'SELinux', type: 'string', description: 'Rule for SELinux labels.' },
    { name: 'RunAsUser', type: 'string', description: 'Rule for users.' },
    { name: 'FSGroup', type: 'string', description: 'Rule for the group that owns volumes.' },
    { name: 'SupGroup', type: 'string', description: 'Rule for supplemental groups.' },
    { name: 'ReadOnlyRootFs', type: 'string', description: 'Whether root file systems must be read-only.' },
    { name: 'Volumes', type: 'string', description: 'Kinds of volumes that pods may use.' },
  ],
  row: ({ metadata, spec }) => ({
    cells: [
      metadata.name ?? '',
      String(spec.privileged ?? false),
      (spec.allowedCapabilities ?? []).join(','),
      spec.seLinux.rule,
      spec.runAsUser.rule,
      spec.fsGroup.rule ?? '',
      spec.supplementalGroups.rule ?? '',
      spec.readOnlyRootFilesystem ?? false,
      (spec.volumes ?? []).join(','),
    ],
  }),
};

export const podSecurityPolicy = defineResource<PodSecurityPolicy>({
  group: 'policy',
  resource: 'podsecuritypolicies',
  kind: 'PodSecurityPolicy',
  singular: 'podsecuritypolicy',
  shortNames: ['psp'],
  namespaced: false,
  hub: 'policy/v1beta1',
  versions: [
    {
      groupVersion: 'policy/v1beta1',
      message: 'policy/v1beta1.PodSecurityPolicy',
      setDefaults: setPodSecurityPolicyDefaults,
      deprecation: { deprecatedIn: '1.21', removedIn: '1.25' },
    },
    {
      groupVersion: 'extensions/v1beta1',
      message: 'extensions/v1beta1.PodSecurityPolicy',
      setDefaults: setPodSecurityPolicyDefaults,
      deprecation: { deprecatedIn: '1.11', removedIn: '1.16', replacement: 'policy/v1beta1' },
    },
  ],
  storageVersion: 'policy/v1beta1',
  storagePath: 'podsecuritypolicy',
  returnDeletedObject: true,
  validateName: validatePolicyName,
  metadataChecksOnUpdate: ['update'],
  validate: validatePodSecurityPolicy,
  validateUpdate: (object, _old, errors) => validatePodSecurityPolicy(object, errors),
  table,
});
