import type { Subject } from '../../../generated/types/rbac-v1.ts';
import { RBAC_GROUP } from '../../../api/rbac/rbac-group.ts';

/** A binding as data; its role is a ClusterRole of the cluster, or the Role of its namespace. */
export interface DefaultBinding {
  readonly name: string;
  readonly role: string;
  readonly subjects: readonly Subject[];
}

function user(name: string): Subject {
  return { apiGroup: RBAC_GROUP, kind: 'User', name };
}

function group(name: string): Subject {
  return { apiGroup: RBAC_GROUP, kind: 'Group', name };
}

/** One of kube-system. */
export function serviceAccount(name: string): Subject {
  return { kind: 'ServiceAccount', name, namespace: 'kube-system' };
}

/** The bindings of the cluster roles; those of controllers are bound by their names. */
export const clusterRoleBindings: readonly DefaultBinding[] = [
  { name: 'cluster-admin', role: 'cluster-admin', subjects: [group('system:masters')] },
  { name: 'system:basic-user', role: 'system:basic-user', subjects: [group('system:authenticated')] },
  { name: 'system:discovery', role: 'system:discovery', subjects: [group('system:authenticated')] },
  {
    name: 'system:kube-controller-manager',
    role: 'system:kube-controller-manager',
    subjects: [user('system:kube-controller-manager')],
  },
  { name: 'system:kube-dns', role: 'system:kube-dns', subjects: [serviceAccount('kube-dns')] },
  { name: 'system:kube-scheduler', role: 'system:kube-scheduler', subjects: [user('system:kube-scheduler')] },
  { name: 'system:monitoring', role: 'system:monitoring', subjects: [group('system:monitoring')] },
  { name: 'system:node', role: 'system:node', subjects: [] },
  { name: 'system:node-proxier', role: 'system:node-proxier', subjects: [user('system:kube-proxy')] },
  {
    name: 'system:public-info-viewer',
    role: 'system:public-info-viewer',
    subjects: [group('system:authenticated'), group('system:unauthenticated')],
  },
  {
    name: 'system:service-account-issuer-discovery',
    role: 'system:service-account-issuer-discovery',
    subjects: [group('system:serviceaccounts')],
  },
  { name: 'system:volume-scheduler', role: 'system:volume-scheduler', subjects: [user('system:kube-scheduler')] },
];

/** The bindings of the roles within the system namespaces. */
export const roleBindings: readonly (DefaultBinding & { readonly namespace: string })[] = [
  {
    namespace: 'kube-public',
    name: 'system:controller:bootstrap-signer',
    role: 'system:controller:bootstrap-signer',
    subjects: [serviceAccount('bootstrap-signer')],
  },
  {
    namespace: 'kube-system',
    name: 'system::extension-apiserver-authentication-reader',
    role: 'extension-apiserver-authentication-reader',
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler')],
  },
  {
    namespace: 'kube-system',
    name: 'system::leader-locking-kube-controller-manager',
    role: 'system::leader-locking-kube-controller-manager',
    subjects: [
      user('system:kube-controller-manager'),
      serviceAccount('kube-controller-manager'),
      serviceAccount('leader-election-controller'),
    ],
  },
  {
    namespace: 'kube-system',
    name: 'system::leader-locking-kube-scheduler',
    role: 'system::leader-locking-kube-scheduler',
    subjects: [user('system:kube-scheduler'), serviceAccount('kube-scheduler')],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:bootstrap-signer',
    role: 'system:controller:bootstrap-signer',
    subjects: [serviceAccount('bootstrap-signer')],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:cloud-provider',
    role: 'system:controller:cloud-provider',
    subjects: [serviceAccount('cloud-provider')],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:token-cleaner',
    role: 'system:controller:token-cleaner',
    subjects: [serviceAccount('token-cleaner')],
  },
];
