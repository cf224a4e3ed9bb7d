import { allow, CORE, READ, RECORD_EVENTS, type DefaultClusterRole } from './rule-builders.ts';

/**
 * Cluster roles of the components of a cluster: scheduler, controller manager, nodes and their helpers, and approvers
 * of certificates.
 */
export const componentRoles: readonly DefaultClusterRole[] = [
  {
    name: 'system:auth-delegator',
    rules: [
      allow('create', 'authentication.k8s.io', 'tokenreviews'),
      allow('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    ],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    rules: [allow('create', 'certificates.k8s.io', 'certificatesigningrequests/nodeclient')],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    rules: [allow('create', 'certificates.k8s.io', 'certificatesigningrequests/selfnodeclient')],
  },
  {
    name: 'system:certificates.k8s.io:kube-apiserver-client-approver',
    rules: [allow('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/kube-apiserver-client')],
  },
  {
    name: 'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver',
    rules: [allow('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/kube-apiserver-client-kubelet')],
  },
  {
    name: 'system:certificates.k8s.io:kubelet-serving-approver',
    rules: [allow('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/kubelet-serving')],
  },
  {
    name: 'system:certificates.k8s.io:legacy-unknown-approver',
    rules: [allow('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/legacy-unknown')],
  },
  {
    name: 'system:heapster',
    rules: [allow(READ, CORE, 'events namespaces nodes pods'), allow(READ, 'extensions', 'deployments')],
  },
  { name: 'system:kube-aggregator', rules: [allow(READ, CORE, 'endpoints services')] },
  {
    name: 'system:kube-controller-manager',
    rules: [
      RECORD_EVENTS,
      allow('create', 'coordination.k8s.io', 'leases'),
      allow('get update', 'coordination.k8s.io', 'leases', 'kube-controller-manager'),
      allow('create', CORE, 'secrets serviceaccounts'),
      allow('delete', CORE, 'secrets'),
      allow('get', CORE, 'configmaps namespaces secrets serviceaccounts'),
      allow('update', CORE, 'secrets serviceaccounts'),
      allow('create', 'authentication.k8s.io', 'tokenreviews'),
      allow('create', 'authorization.k8s.io', 'subjectaccessreviews'),
      allow('list watch', '*', '*'),
      allow('create', CORE, 'serviceaccounts/token'),
    ],
  },
  { name: 'system:kube-dns', rules: [allow('list watch', CORE, 'endpoints services')] },
  {
    name: 'system:kube-scheduler',
    rules: [
      RECORD_EVENTS,
      allow('create', 'coordination.k8s.io', 'leases'),
      allow('get list update watch', 'coordination.k8s.io', 'leases', 'kube-scheduler'),
      allow('create delete deletecollection get list patch update watch', 'coordination.k8s.io', 'leasecandidates'),
      allow(READ, CORE, 'nodes'),
      allow('delete get list watch', CORE, 'pods'),
      allow('create', CORE, 'bindings pods/binding'),
      allow('patch update', CORE, 'pods/status'),
      allow(READ, CORE, 'replicationcontrollers services'),
      allow(READ, ['apps', 'extensions'], 'replicasets'),
      allow(READ, 'apps', 'statefulsets'),
      allow(READ, 'policy', 'poddisruptionbudgets'),
      allow(READ, CORE, 'persistentvolumeclaims persistentvolumes'),
      allow('create', 'authentication.k8s.io', 'tokenreviews'),
      allow('create', 'authorization.k8s.io', 'subjectaccessreviews'),
      allow(READ, 'storage.k8s.io', 'csinodes'),
      allow(READ, 'storage.k8s.io', 'volumeattachments'),
      allow(READ, CORE, 'namespaces'),
      allow(READ, 'storage.k8s.io', 'csidrivers'),
      allow(READ, 'storage.k8s.io', 'csistoragecapacities'),
      allow(READ, 'resource.k8s.io', 'deviceclasses'),
      allow('get list patch update watch', 'resource.k8s.io', 'resourceclaims'),
      allow('get list patch update watch', 'resource.k8s.io', 'resourceclaims/status'),
      allow('update', CORE, 'pods/finalizers'),
      allow(READ, 'resource.k8s.io', 'resourceslices'),
      allow('create delete', 'resource.k8s.io', 'resourceclaims'),
      allow('patch update', 'resource.k8s.io', 'resourceclaims/binding'),
    ],
  },
  {
    name: 'system:kubelet-api-admin',
    rules: [
      allow(READ, CORE, 'nodes'),
      allow('proxy', CORE, 'nodes'),
      allow('*', CORE, 'nodes/log nodes/metrics nodes/proxy nodes/stats'),
      allow('*', CORE, 'nodes/configz nodes/healthz nodes/pods'),
    ],
  },
  {
    name: 'system:node',
    rules: [
      allow('create', 'authentication.k8s.io', 'tokenreviews'),
      allow('create', 'authorization.k8s.io', 'localsubjectaccessreviews subjectaccessreviews'),
      allow(READ, CORE, 'services'),
      allow('create get list watch', CORE, 'nodes'),
      allow('patch update', CORE, 'nodes/status'),
      allow('patch update', CORE, 'nodes'),
      RECORD_EVENTS,
      allow(READ, CORE, 'pods'),
      allow('create delete', CORE, 'pods'),
      allow('patch update', CORE, 'pods/status'),
      allow('create', CORE, 'pods/eviction'),
      allow(READ, CORE, 'configmaps secrets'),
      allow('get', CORE, 'persistentvolumeclaims persistentvolumes'),
      allow('get', CORE, 'endpoints'),
      allow('create get list watch', 'certificates.k8s.io', 'certificatesigningrequests'),
      allow('create delete get patch update', 'coordination.k8s.io', 'leases'),
      allow('get', 'storage.k8s.io', 'volumeattachments'),
      allow('create', CORE, 'serviceaccounts/token'),
      allow('get patch update', CORE, 'persistentvolumeclaims/status'),
      allow(READ, 'storage.k8s.io', 'csidrivers'),
      allow('create delete get patch update', 'storage.k8s.io', 'csinodes'),
      allow(READ, 'node.k8s.io', 'runtimeclasses'),
      allow('get', 'resource.k8s.io', 'resourceclaims'),
      allow('deletecollection', 'resource.k8s.io', 'resourceslices'),
      allow('get', CORE, 'serviceaccounts'),
    ],
  },
  {
    name: 'system:node-bootstrapper',
    rules: [allow('create get list watch', 'certificates.k8s.io', 'certificatesigningrequests')],
  },
  {
    name: 'system:node-problem-detector',
    rules: [allow('get', CORE, 'nodes'), allow('patch', CORE, 'nodes/status'), RECORD_EVENTS],
  },
  {
    name: 'system:node-proxier',
    rules: [
      allow('list watch', CORE, 'endpoints services'),
      allow(READ, CORE, 'nodes'),
      RECORD_EVENTS,
      allow('list watch', 'networking.k8s.io', 'servicecidrs'),
      allow('list watch', 'discovery.k8s.io', 'endpointslices'),
    ],
  },
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      allow('create delete get list watch', CORE, 'persistentvolumes'),
      allow('get list update watch', CORE, 'persistentvolumeclaims'),
      allow(READ, 'storage.k8s.io', 'storageclasses'),
      allow('watch', CORE, 'events'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:volume-scheduler',
    rules: [
      allow('get list patch update watch', CORE, 'persistentvolumes'),
      allow(READ, 'storage.k8s.io', 'storageclasses'),
      allow('get list patch update watch', CORE, 'persistentvolumeclaims'),
    ],
  },
];
