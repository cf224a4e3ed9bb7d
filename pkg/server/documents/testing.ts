import { apiextensionsGroup } from '../../api/apiextensions/resources.ts';
import { appsGroup } from '../../api/apps/resources.ts';
import { autoscalingGroup } from '../../api/autoscaling/resources.ts';
import { batchGroup } from '../../api/batch/resources.ts';
import { coreGroup } from '../../api/core/resources.ts';
import { extensionsGroup } from '../../api/extensions/resources.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { authenticationGroup } from '../../api/authentication/resources.ts';
import { authorizationGroup } from '../../api/authorization/resources.ts';
import { type AnyResource, defineResource, type ResourceDefinition, type Verb } from '../../api/resource-definition.ts';
import { Scheme } from '../../api/scheme.ts';
import { type ServedResource, servedResources } from './served-resources.ts';

/**
 * A few kinds in the shapes that matter to documents: several versions, scopes, subresources with bodies of other
 * kinds. For tests.
 */

const statusVerbs: Verb[] = ['update', 'get', 'patch'];
const scale = {
  name: 'scale',
  verbs: statusVerbs,
  scale: { get: () => ({ specReplicas: 0, statusReplicas: 0, selector: '' }), set: () => undefined },
};
const status = { name: 'status', verbs: statusVerbs };

type Shape = Partial<ResourceDefinition<ApiObject>> &
  Pick<ResourceDefinition<ApiObject>, 'group' | 'resource' | 'kind' | 'singular' | 'namespaced'>;

function kind(groupVersions: readonly string[], shape: Shape): AnyResource {
  const stored = groupVersions[0]!;
  return defineResource<ApiObject>({
    hub: stored,
    storageVersion: stored,
    storagePath: shape.resource,
    validateName: () => [],
    versions: groupVersions.map((groupVersion) => ({
      groupVersion,
      message: `${protoPackage(groupVersion)}.${shape.kind}`,
    })),
    ...shape,
  });
}

const protoPackage = (groupVersion: string): string =>
  groupVersion === 'v1' ? 'core/v1' : groupVersion.replace(/\..*\//, '/');

const pods = kind(['v1'], {
  group: '',
  resource: 'pods',
  kind: 'Pod',
  singular: 'pod',
  namespaced: true,
  shortNames: ['po'],
  categories: ['all'],
  subresources: [
    status,
    { name: 'binding', verbs: ['create'], body: { group: '', version: 'v1', kind: 'Binding' } },
    { name: 'eviction', verbs: ['create'], body: { group: 'policy', version: 'v1', kind: 'Eviction' } },
    { name: 'exec', verbs: ['create', 'get'], body: { group: '', version: 'v1', kind: 'PodExecOptions' } },
    { name: 'log', verbs: ['get'] },
    {
      name: 'proxy',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      body: { group: '', version: 'v1', kind: 'PodProxyOptions' },
    },
  ],
});

const definitions: AnyResource[] = [
  kind(['autoscaling/v1', 'autoscaling/v2', 'autoscaling/v2beta1'], {
    group: 'autoscaling',
    resource: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    singular: 'horizontalpodautoscaler',
    namespaced: true,
    shortNames: ['hpa'],
    categories: ['all'],
    subresources: [status],
  }),
  kind(['apps/v1', 'apps/v1beta1', 'extensions/v1beta1'], {
    group: 'apps',
    resource: 'deployments',
    kind: 'Deployment',
    singular: 'deployment',
    namespaced: true,
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: [status, scale],
  }),
  kind(['apiextensions.k8s.io/v1'], {
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    singular: 'customresourcedefinition',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    subresources: [status],
  }),
  kind(['batch/v1', 'batch/v1beta1', 'batch/v2alpha1'], {
    group: 'batch',
    resource: 'cronjobs',
    kind: 'CronJob',
    singular: 'cronjob',
    namespaced: true,
    versions: [
      { groupVersion: 'batch/v1', message: 'batch/v1.CronJob' },
      { groupVersion: 'batch/v1beta1', message: 'batch/v1beta1.CronJob' },
      { groupVersion: 'batch/v2alpha1', message: 'batch/v2alpha1.CronJob', served: false },
    ],
  }),
  pods,
  kind(['v1'], {
    group: '',
    resource: 'namespaces',
    kind: 'Namespace',
    singular: 'namespace',
    namespaced: false,
    verbs: ['watch', 'list', 'get', 'create', 'update', 'patch', 'delete'],
  }),
  kind(['v1'], { group: '', resource: 'podtemplates', kind: 'PodTemplate', singular: 'podtemplate', namespaced: true }),
  kind(['v1'], {
    group: '',
    resource: 'configmaps',
    kind: 'ConfigMap',
    singular: 'configmap',
    namespaced: true,
    shortNames: ['cm'],
  }),
  kind(['v1'], {
    group: '',
    resource: 'services',
    kind: 'Service',
    singular: 'service',
    namespaced: true,
    shortNames: ['svc'],
    subresources: [status],
  }),
  ...authenticationGroup.resources,
  ...authorizationGroup.resources,
];

export const sampleScheme = new Scheme(definitions, [
  coreGroup,
  apiextensionsGroup,
  appsGroup,
  authenticationGroup,
  authorizationGroup,
  autoscalingGroup,
  batchGroup,
  extensionsGroup,
]);
export const sampleResources: ServedResource[] = servedResources(sampleScheme);
