import { allow, CORE, READ, RECORD_EVENTS, type DefaultRole } from './rule-builders.ts';

/** Roles within the system namespaces. */
export const namespaceRoles: readonly DefaultRole[] = [
  {
    namespace: 'kube-public',
    name: 'system:controller:bootstrap-signer',
    rules: [allow(READ, CORE, 'configmaps'), allow('update', CORE, 'configmaps', 'cluster-info'), RECORD_EVENTS],
  },
  {
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication-reader',
    rules: [allow(READ, CORE, 'configmaps', 'extension-apiserver-authentication')],
  },
  {
    namespace: 'kube-system',
    name: 'system::leader-locking-kube-controller-manager',
    rules: [
      allow('create get list update watch', 'coordination.k8s.io', 'leases'),
      allow('create get list update watch', 'coordination.k8s.io', 'leasecandidates'),
    ],
  },
  {
    namespace: 'kube-system',
    name: 'system::leader-locking-kube-scheduler',
    rules: [
      allow('create get list update watch', 'coordination.k8s.io', 'leases'),
      allow('create get list update watch', 'coordination.k8s.io', 'leasecandidates'),
    ],
  },
  { namespace: 'kube-system', name: 'system:controller:bootstrap-signer', rules: [allow(READ, CORE, 'secrets')] },
  {
    namespace: 'kube-system',
    name: 'system:controller:cloud-provider',
    rules: [allow('create get list watch', CORE, 'configmaps')],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:token-cleaner',
    rules: [allow('delete get list watch', CORE, 'secrets'), RECORD_EVENTS],
  },
];
