import { allow, allowUrls, CORE, READ, WRITE, type DefaultClusterRole } from './rule-builders.ts';

/** Cluster roles for people and for endpoints that all users may read. */
export const userRoles: readonly DefaultClusterRole[] = [
  { name: 'admin', aggregates: 'admin' },
  { name: 'cluster-admin', rules: [allow('*', '*', '*'), allowUrls('*', '*')] },
  { name: 'edit', aggregateTo: 'admin', aggregates: 'edit' },
  { name: 'view', aggregateTo: 'edit', aggregates: 'view' },
  {
    name: 'system:aggregate-to-admin',
    aggregateTo: 'admin',
    rules: [
      allow('create', 'authorization.k8s.io', 'localsubjectaccessreviews'),
      allow(
        'create delete deletecollection get list patch update watch',
        'rbac.authorization.k8s.io',
        'rolebindings roles',
      ),
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    aggregateTo: 'edit',
    rules: [
      allow(READ, CORE, 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
      allow('impersonate', CORE, 'serviceaccounts'),
      allow(WRITE, CORE, 'pods pods/attach pods/exec pods/portforward pods/proxy'),
      allow('create', CORE, 'pods/eviction'),
      allow(
        WRITE,
        CORE,
        'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      ),
      allow('create', CORE, 'serviceaccounts/token'),
      allow(WRITE, [CORE, 'events.k8s.io'], 'events'),
      allow(
        WRITE,
        'apps',
        'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      ),
      allow(WRITE, 'autoscaling', 'horizontalpodautoscalers'),
      allow(WRITE, 'batch', 'cronjobs jobs'),
      allow(
        WRITE,
        'extensions',
        'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      ),
      allow(WRITE, 'policy', 'poddisruptionbudgets'),
      allow(WRITE, 'networking.k8s.io', 'ingresses networkpolicies'),
      allow('create delete deletecollection get list patch update watch', 'coordination.k8s.io', 'leases'),
      allow(WRITE, 'resource.k8s.io', 'resourceclaims resourceclaimtemplates'),
    ],
  },
  {
    name: 'system:aggregate-to-view',
    aggregateTo: 'view',
    rules: [
      allow(
        READ,
        CORE,
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      ),
      allow(
        READ,
        CORE,
        'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      ),
      allow(READ, CORE, 'namespaces'),
      allow(READ, [CORE, 'events.k8s.io'], 'events'),
      allow(READ, 'discovery.k8s.io', 'endpointslices'),
      allow(
        READ,
        'apps',
        'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      ),
      allow(READ, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
      allow(READ, 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
      allow(
        READ,
        'extensions',
        'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      ),
      allow(READ, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
      allow(READ, 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'),
      allow(READ, 'resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
    ],
  },
  {
    name: 'system:basic-user',
    rules: [
      allow('create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      allow('create', 'authentication.k8s.io', 'selfsubjectreviews'),
    ],
  },
  {
    name: 'system:discovery',
    rules: [
      allowUrls('get', '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'),
    ],
  },
  { name: 'system:public-info-viewer', rules: [allowUrls('get', '/healthz /livez /readyz /version /version/')] },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      allowUrls(
        'get',
        '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
      ),
    ],
  },
  {
    name: 'system:monitoring',
    rules: [
      allowUrls('get', '/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz'),
      allow('get', CORE, 'nodes/metrics'),
    ],
  },
];
