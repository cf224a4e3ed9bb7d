import { allow, CORE, READ, RECORD_EVENTS, type DefaultClusterRole } from './rule-builders.ts';

/** One cluster role for each controller: its service account of the same name in kube-system has it. */
export const controllerRoles: readonly DefaultClusterRole[] = [
  {
    name: 'system:controller:attachdetach-controller',
    rules: [
      allow('list watch', CORE, 'persistentvolumeclaims persistentvolumes'),
      allow(READ, CORE, 'nodes'),
      allow('patch update', CORE, 'nodes/status'),
      allow('list watch', CORE, 'pods'),
      RECORD_EVENTS,
      allow('create delete get list watch', 'storage.k8s.io', 'volumeattachments'),
      allow(READ, 'storage.k8s.io', 'csidrivers'),
      allow(READ, 'storage.k8s.io', 'csinodes'),
    ],
  },
  {
    name: 'system:controller:certificate-controller',
    rules: [
      allow('delete get list watch', 'certificates.k8s.io', 'certificatesigningrequests'),
      allow('update', 'certificates.k8s.io', 'certificatesigningrequests/approval certificatesigningrequests/status'),
      allow('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/kube-apiserver-client-kubelet'),
      allow(
        'sign',
        'certificates.k8s.io',
        'signers',
        'kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown',
      ),
      allow('create', 'authorization.k8s.io', 'subjectaccessreviews'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:clusterrole-aggregation-controller',
    rules: [allow('escalate get list patch update watch', 'rbac.authorization.k8s.io', 'clusterroles')],
  },
  {
    name: 'system:controller:cronjob-controller',
    rules: [
      allow('get list update watch', 'batch', 'cronjobs'),
      allow('create delete get list patch update watch', 'batch', 'jobs'),
      allow('update', 'batch', 'cronjobs/status'),
      allow('update', 'batch', 'cronjobs/finalizers'),
      allow('delete list watch', CORE, 'pods'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:daemon-set-controller',
    rules: [
      allow(READ, ['apps', 'extensions'], 'daemonsets'),
      allow('update', ['apps', 'extensions'], 'daemonsets/status'),
      allow('update', ['apps', 'extensions'], 'daemonsets/finalizers'),
      allow('list watch', CORE, 'nodes'),
      allow('create delete list patch watch', CORE, 'pods'),
      allow('create', CORE, 'pods/binding'),
      allow('create delete get list patch update watch', 'apps', 'controllerrevisions'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:deployment-controller',
    rules: [
      allow('get list update watch', ['apps', 'extensions'], 'deployments'),
      allow('update', ['apps', 'extensions'], 'deployments/status'),
      allow('update', ['apps', 'extensions'], 'deployments/finalizers'),
      allow('create delete get list patch update watch', ['apps', 'extensions'], 'replicasets'),
      allow('get list update watch', CORE, 'pods'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:device-taint-eviction-controller',
    rules: [
      allow('delete get list watch', CORE, 'pods'),
      allow('patch update', CORE, 'pods/status'),
      allow(READ, 'resource.k8s.io', 'resourceclaims'),
      allow(READ, 'resource.k8s.io', 'resourceslices'),
      allow(READ, 'resource.k8s.io', 'deviceclasses'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:disruption-controller',
    rules: [
      allow(READ, ['apps', 'extensions'], 'deployments'),
      allow(READ, ['apps', 'extensions'], 'replicasets'),
      allow(READ, CORE, 'replicationcontrollers'),
      allow(READ, 'policy', 'poddisruptionbudgets'),
      allow(READ, 'apps', 'statefulsets'),
      allow('update', 'policy', 'poddisruptionbudgets/status'),
      allow('patch update', CORE, 'pods/status'),
      allow('get', '*', '*/scale'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:endpoint-controller',
    rules: [
      allow(READ, CORE, 'pods services'),
      allow('create delete get list update watch', CORE, 'endpoints'),
      allow('create', CORE, 'endpoints/restricted'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:endpointslice-controller',
    rules: [
      allow(READ, CORE, 'nodes pods services'),
      allow('update', CORE, 'services/finalizers'),
      allow('create delete get list update watch', 'discovery.k8s.io', 'endpointslices'),
      allow('create', 'discovery.k8s.io', 'endpointslices/restricted'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:endpointslicemirroring-controller',
    rules: [
      allow(READ, CORE, 'endpoints services'),
      allow('update', CORE, 'services/finalizers'),
      allow('update', CORE, 'endpoints/finalizers'),
      allow('create delete get list update watch', 'discovery.k8s.io', 'endpointslices'),
      allow('create', 'discovery.k8s.io', 'endpointslices/restricted'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:ephemeral-volume-controller',
    rules: [
      allow(READ, CORE, 'pods'),
      allow('update', CORE, 'pods/finalizers'),
      allow('create get list watch', CORE, 'persistentvolumeclaims'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:expand-controller',
    rules: [
      allow('get list patch update watch', CORE, 'persistentvolumes'),
      allow('patch update', CORE, 'persistentvolumeclaims/status'),
      allow(READ, CORE, 'persistentvolumeclaims'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:generic-garbage-collector',
    rules: [allow('delete get list patch update watch', '*', '*'), RECORD_EVENTS],
  },
  {
    name: 'system:controller:horizontal-pod-autoscaler',
    rules: [
      allow(READ, 'autoscaling', 'horizontalpodautoscalers'),
      allow('update', 'autoscaling', 'horizontalpodautoscalers/status'),
      allow('get update', '*', '*/scale'),
      allow('list watch', CORE, 'pods'),
      allow('list watch', 'metrics.k8s.io', 'pods'),
      allow(READ, 'custom.metrics.k8s.io', '*'),
      allow(READ, 'external.metrics.k8s.io', '*'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:job-controller',
    rules: [
      allow('get list patch update watch', 'batch', 'jobs'),
      allow('update', 'batch', 'jobs/status'),
      allow('update', 'batch', 'jobs/finalizers'),
      allow('create delete list patch watch', CORE, 'pods'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:legacy-service-account-token-cleaner',
    rules: [
      allow('get', CORE, 'configmaps', 'kube-apiserver-legacy-service-account-token-tracking'),
      allow('delete patch', CORE, 'secrets'),
    ],
  },
  {
    name: 'system:controller:namespace-controller',
    rules: [
      allow('delete get list watch', CORE, 'namespaces'),
      allow('update', CORE, 'namespaces/finalize namespaces/status'),
      allow('delete deletecollection get list watch', '*', '*'),
    ],
  },
  {
    name: 'system:controller:node-controller',
    rules: [
      allow('delete get list patch update watch', CORE, 'nodes'),
      allow('patch update', CORE, 'nodes/status'),
      allow('patch update', CORE, 'pods/status'),
      allow('delete get list watch', CORE, 'pods'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:persistent-volume-binder',
    rules: [
      allow('create delete get list update watch', CORE, 'persistentvolumes'),
      allow('update', CORE, 'persistentvolumes/status'),
      allow('get list update watch', CORE, 'persistentvolumeclaims'),
      allow('update', CORE, 'persistentvolumeclaims/status'),
      allow('create delete get list watch', CORE, 'pods'),
      allow(READ, 'storage.k8s.io', 'storageclasses'),
      allow('list watch', CORE, 'nodes'),
      RECORD_EVENTS,
      allow('watch', CORE, 'events'),
    ],
  },
  {
    name: 'system:controller:pod-garbage-collector',
    rules: [allow('delete list watch', CORE, 'pods'), allow(READ, CORE, 'nodes'), allow('patch', CORE, 'pods/status')],
  },
  {
    name: 'system:controller:pv-protection-controller',
    rules: [allow('get list update watch', CORE, 'persistentvolumes'), RECORD_EVENTS],
  },
  {
    name: 'system:controller:pvc-protection-controller',
    rules: [
      allow('get list update watch', CORE, 'persistentvolumeclaims'),
      allow('update', CORE, 'persistentvolumeclaims/status'),
      allow(READ, CORE, 'pods'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:replicaset-controller',
    rules: [
      allow('get list update watch', ['apps', 'extensions'], 'replicasets'),
      allow('update', ['apps', 'extensions'], 'replicasets/status'),
      allow('update', ['apps', 'extensions'], 'replicasets/finalizers'),
      allow('create delete list patch watch', CORE, 'pods'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:replication-controller',
    rules: [
      allow('get list update watch', CORE, 'replicationcontrollers'),
      allow('update', CORE, 'replicationcontrollers/status'),
      allow('update', CORE, 'replicationcontrollers/finalizers'),
      allow('create delete list patch watch', CORE, 'pods'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:resource-claim-controller',
    rules: [
      allow(READ, CORE, 'pods'),
      allow('update', CORE, 'pods/finalizers'),
      allow('create delete get list watch', 'resource.k8s.io', 'resourceclaims'),
      allow('patch update', 'resource.k8s.io', 'resourceclaims resourceclaims/status'),
      allow('patch update', CORE, 'pods/status'),
      RECORD_EVENTS,
      allow('patch update', 'resource.k8s.io', 'resourceclaims/binding'),
    ],
  },
  {
    name: 'system:controller:resourcequota-controller',
    rules: [allow('list watch', '*', '*'), allow('update', CORE, 'resourcequotas/status'), RECORD_EVENTS],
  },
  {
    name: 'system:controller:root-ca-cert-publisher',
    rules: [allow('create update', CORE, 'configmaps'), RECORD_EVENTS],
  },
  {
    name: 'system:controller:route-controller',
    rules: [allow('list watch', CORE, 'nodes'), allow('patch', CORE, 'nodes/status'), RECORD_EVENTS],
  },
  {
    name: 'system:controller:selinux-warning-controller',
    rules: [
      RECORD_EVENTS,
      allow(READ, CORE, 'persistentvolumes'),
      allow(READ, CORE, 'persistentvolumeclaims'),
      allow(READ, CORE, 'pods'),
      allow(READ, 'storage.k8s.io', 'csidrivers'),
    ],
  },
  {
    name: 'system:controller:service-account-controller',
    rules: [allow('create', CORE, 'serviceaccounts'), RECORD_EVENTS],
  },
  {
    name: 'system:controller:service-cidrs-controller',
    rules: [
      allow('get list patch update watch', 'networking.k8s.io', 'servicecidrs'),
      allow('patch update', 'networking.k8s.io', 'servicecidrs/finalizers'),
      allow('patch update', 'networking.k8s.io', 'servicecidrs/status'),
      allow(READ, 'networking.k8s.io', 'ipaddresses'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:service-controller',
    rules: [
      allow(READ, CORE, 'services'),
      allow('patch update', CORE, 'services/status'),
      allow('list watch', CORE, 'nodes'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:statefulset-controller',
    rules: [
      allow('list watch', CORE, 'pods'),
      allow(READ, 'apps', 'statefulsets'),
      allow('update', 'apps', 'statefulsets/status'),
      allow('update', 'apps', 'statefulsets/finalizers'),
      allow('create delete get patch update', CORE, 'pods'),
      allow('create delete get list patch update watch', 'apps', 'controllerrevisions'),
      allow('create get list watch', CORE, 'persistentvolumeclaims'),
      allow('delete update', CORE, 'persistentvolumeclaims'),
      allow('update', CORE, 'pods/finalizers'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:ttl-after-finished-controller',
    rules: [allow('delete get list watch', 'batch', 'jobs'), RECORD_EVENTS],
  },
  { name: 'system:controller:ttl-controller', rules: [allow('list patch update watch', CORE, 'nodes'), RECORD_EVENTS] },
  {
    name: 'system:controller:validatingadmissionpolicy-status-controller',
    rules: [
      allow(READ, 'admissionregistration.k8s.io', 'validatingadmissionpolicies'),
      allow('get patch update', 'admissionregistration.k8s.io', 'validatingadmissionpolicies/status'),
      RECORD_EVENTS,
    ],
  },
  {
    name: 'system:controller:volumeattributesclass-protection-controller',
    rules: [
      allow(READ, CORE, 'persistentvolumeclaims'),
      allow(READ, CORE, 'persistentvolumes'),
      allow('get list update watch', 'storage.k8s.io', 'volumeattributesclasses'),
      RECORD_EVENTS,
    ],
  },
];
