import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { GateName } from '../options/feature-gates.ts';
import { dropField, hasField, type FieldPathPattern } from './drop-field.ts';
import type { AnyResource, StrategyContext } from './resource-definition.ts';

interface GatedField {
  readonly gate: GateName;
  readonly path: FieldPathPattern;
  /** Only in requests of this version; default: in all. */
  readonly requestVersion?: string;
}

const containers = (path: FieldPathPattern): FieldPathPattern[] => [`containers.*.${path}`, `initContainers.*.${path}`];
const gated = (gate: GateName, ...paths: FieldPathPattern[]): GatedField[] => paths.map((path) => ({ gate, path }));

/** Fields of pod specs. */
const podSpecFields: readonly GatedField[] = [
  ...gated('BlockVolume', ...containers('volumeDevices')),
  ...gated('CustomPodDNS', 'dnsConfig'),
  ...gated('GenericWorkload', 'schedulingGroup'),
  ...gated('LocalStorageCapacityIsolation', 'volumes.*.emptyDir.sizeLimit'),
  ...gated('MountPropagation', ...containers('volumeMounts.*.mountPropagation')),
  ...gated('PodPriority', 'priorityClassName', 'priority'),
  ...gated('PodReadinessGates', 'readinessGates'),
  ...gated('PodShareProcessNamespace', 'shareProcessNamespace'),
  ...gated('RunAsGroup', 'securityContext.runAsGroup', ...containers('securityContext.runAsGroup')),
  ...gated('Sysctls', 'securityContext.sysctls'),
  ...gated('TokenRequestProjection', 'volumes.*.projected.sources.*.serviceAccountToken'),
  ...gated('VolumeSubpath', ...containers('volumeMounts.*.subPath')),
  ...gated('VolumeSubpathEnvExpansion', ...containers('volumeMounts.*.subPathExpr')),
];

/** Where kinds have a pod spec. */
const podSpecPaths: Readonly<Record<string, FieldPathPattern>> = {
  pods: 'spec',
  podtemplates: 'template.spec',
  replicationcontrollers: 'spec.template.spec',
  'daemonsets.apps': 'spec.template.spec',
  'deployments.apps': 'spec.template.spec',
  'replicasets.apps': 'spec.template.spec',
  'statefulsets.apps': 'spec.template.spec',
  'jobs.batch': 'spec.template.spec',
  'cronjobs.batch': 'spec.jobTemplate.spec.template.spec',
};

/** Fields of single kinds, in the shape of the hub. */
const fieldsOfKinds: Readonly<Record<string, readonly GatedField[]>> = {
  nodes: gated('DynamicKubeletConfig', 'spec.configSource'),
  persistentvolumes: [...gated('BlockVolume', 'spec.volumeMode'), ...gated('VolumeScheduling', 'spec.nodeAffinity')],
  persistentvolumeclaims: [
    ...gated('BlockVolume', 'spec.volumeMode'),
    ...gated('CrossNamespaceVolumeDataSource', 'spec.dataSourceRef.namespace'),
  ],
  resourcequotas: gated('ResourceQuotaScopeSelectors', 'spec.scopeSelector'),
  'csidrivers.storage.k8s.io': gated('VolumeLimitScaling', 'spec.preventPodSchedulingIfMissing'),
  'resourceslices.resource.k8s.io': [
    ...gated(
      'DRAListTypeAttributes',
      ...['bools', 'ints', 'strings', 'versions'].map((list) => `spec.devices.*.attributes.*.${list}`),
    ),
    ...gated('DRANodeAllocatableResources', 'spec.devices.*.nodeAllocatableResourceMappings'),
  ],
  'storageclasses.storage.k8s.io': [
    ...gated('DynamicProvisioningScheduling', 'allowedTopologies'),
    ...gated('ExpandPersistentVolumes', 'allowVolumeExpansion'),
    ...gated('VolumeScheduling', 'volumeBindingMode'),
  ],
  'customresourcedefinitions.apiextensions.k8s.io': [
    ...gated('CustomResourceSubresources', 'spec.versions.*.subresources'),
    // Version v1 demands a schema.
    {
      gate: 'CustomResourceValidation',
      path: 'spec.versions.*.schema',
      requestVersion: 'apiextensions.k8s.io/v1beta1',
    },
  ],
};

/**
 * The kinds while some features are turned off: objects from clients lose the fields of these features, except updates
 * of objects that have the field already. Stored objects are not changed.
 */
export function withoutFeatureFields(
  resources: readonly AnyResource[],
  turnedOff: (gate: GateName) => boolean,
): readonly AnyResource[] {
  return resources.map((definition) => {
    const fields = fieldsOf(definition).filter(({ gate }) => turnedOff(gate));
    return fields.length === 0 ? definition : dropping(definition, fields);
  });
}

/** The gates that have fields. */
export function gatesWithFields(resources: readonly AnyResource[]): ReadonlySet<GateName> {
  return new Set(resources.flatMap((definition) => fieldsOf(definition).map(({ gate }) => gate)));
}

function fieldsOf({ group, resource }: AnyResource): GatedField[] {
  const name = group === '' ? resource : `${resource}.${group}`;
  const spec = Object.hasOwn(podSpecPaths, name) ? podSpecPaths[name]! : undefined;
  const own = Object.hasOwn(fieldsOfKinds, name) ? fieldsOfKinds[name]! : [];
  return [
    ...own,
    ...(spec === undefined ? [] : podSpecFields.map((field) => ({ ...field, path: `${spec}.${field.path}` }))),
  ];
}

function dropping(definition: AnyResource, fields: readonly GatedField[]): AnyResource {
  const drop = (object: ApiObject, old: ApiObject | undefined, context: StrategyContext): void => {
    for (const { path, requestVersion = context.requestVersion } of fields) {
      if (requestVersion === context.requestVersion && !hasField(old, path)) dropField(object, path);
    }
  };
  return {
    ...definition,
    prepareForCreate(object, context) {
      drop(object, undefined, context);
      definition.prepareForCreate?.(object, context);
    },
    prepareForUpdate(object, old, context) {
      drop(object, old, context);
      definition.prepareForUpdate?.(object, old, context);
    },
  };
}
