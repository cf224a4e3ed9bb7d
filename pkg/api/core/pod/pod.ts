import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { Pod } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import type { SubresourceDefinition, Verb } from '../../resource-definition.ts';
import { podWarnings } from '../pod-spec/warnings.ts';
import { setPodDefaults } from './defaults.ts';
import { validateEphemeralContainersUpdate } from './ephemeral-containers.ts';
import { validateResize } from './resize.ts';
import { validatePodStatusUpdate } from './status-validation.ts';
import {
  podGracePeriodSeconds,
  prepareEphemeralContainers,
  preparePodForCreate,
  preparePodStatus,
  prepareResize,
} from './strategy.ts';
import { podTable } from './table.ts';
import { validatePod, validatePodUpdate } from './validation.ts';

const CHANGE: readonly Verb[] = ['get', 'patch', 'update'];

/** Paths that act on a running pod instead of changing the object. */
const ACTIONS: readonly SubresourceDefinition<Pod>[] = [
  { name: 'attach', verbs: ['create', 'get'], body: { group: '', version: 'v1', kind: 'PodAttachOptions' } },
  { name: 'binding', verbs: ['create'], keepsGeneration: true, body: { group: '', version: 'v1', kind: 'Binding' } },
  { name: 'eviction', verbs: ['create'], body: { group: 'policy', version: 'v1', kind: 'Eviction' } },
  { name: 'exec', verbs: ['create', 'get'], body: { group: '', version: 'v1', kind: 'PodExecOptions' } },
  { name: 'log', verbs: ['get'] },
  { name: 'portforward', verbs: ['create', 'get'], body: { group: '', version: 'v1', kind: 'PodPortForwardOptions' } },
  {
    name: 'proxy',
    verbs: ['create', 'delete', 'get', 'patch', 'update'],
    body: { group: '', version: 'v1', kind: 'PodProxyOptions' },
  },
];

/**
 * Containers that run together on one node. Hardly any field of an existing pod's spec can change; nodes own its
 * status.
 */
export const pod = defineResource<Pod>({
  group: '',
  resource: 'pods',
  kind: 'Pod',
  singular: 'pod',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  hub: 'v1',
  versions: [{ groupVersion: 'v1', message: 'core/v1.Pod', setDefaults: setPodDefaults }],
  storageVersion: 'v1',
  storagePath: 'pods',
  returnDeletedObject: true,
  subresources: [
    ...ACTIONS,
    {
      name: 'ephemeralcontainers',
      verbs: CHANGE,
      prepareForUpdate: prepareEphemeralContainers,
      validateUpdate: validateEphemeralContainersUpdate,
    },
    { name: 'resize', verbs: CHANGE, prepareForUpdate: prepareResize, validateUpdate: validateResize },
    { name: 'status', verbs: CHANGE, prepareForUpdate: preparePodStatus, validateUpdate: validatePodStatusUpdate },
  ],
  validateName: nameIsDns1123Subdomain,
  generationOf: ({ spec }) => spec,
  prepareForCreate: preparePodForCreate,
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  // Programs change pods, and often.
  warnings: (object, old) => (old === undefined ? podWarnings(object) : []),
  gracePeriodSeconds: podGracePeriodSeconds,
  fieldLabels: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    // The earlier name of the field; old clients still select by it.
    'spec.host': ({ spec }) => spec.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec.schedulerName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec.hostNetwork ?? false),
    'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
    'status.phase': ({ status }) => status.phase ?? '',
    'status.podIP': ({ status }) => status.podIP ?? '',
    // Known, but without a value: stock servers select nothing by it either.
    'status.podIPs': () => '',
    'status.nominatedNodeName': ({ status }) => status.nominatedNodeName ?? '',
  },
  table: podTable,
});
