import { nodes, pods } from '../../api/core/tokens.ts';
import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Binding } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { isFor, requestsOn } from '../handles.ts';
import type { ObjectLookup } from '../object-lookup.ts';

const LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

const isPodCreate = requestsOn(pods, 'CREATE');

/**
 * Copies the zone and the region of a node onto the pods that get to it (KEP-4742): onto a binding, from which they go
 * to the pod, and onto a pod that is created with its node. They overwrite what is there under the same names.
 */
export function podTopologyLabelsPlugin(lookup: ObjectLookup): AdmissionPlugin {
  const copyLabels = async (nodeName: string, { metadata }: ApiObject): Promise<void> => {
    const labels = (await lookup.get(nodes, '', nodeName))?.metadata.labels;
    for (const key of LABELS) {
      const value = getKey<string>(labels, key);
      if (value !== undefined) setKey((metadata.labels ??= {}), key, value);
    }
  };
  return {
    name: 'PodTopologyLabels',
    admit: (request) => {
      if (isPodCreate(request)) {
        const { nodeName = '' } = request.object.spec;
        return nodeName === '' ? undefined : copyLabels(nodeName, request.object);
      }
      if (!isBinding(request)) return undefined;
      const { target } = request.object as Binding;
      return (target.kind ?? '') === '' || target.kind === 'Node'
        ? copyLabels(target.name ?? '', request.object!)
        : undefined;
    },
  };
}

/** By the path below the pod, or by the older one. */
function isBinding(request: AdmissionRequest): boolean {
  if (request.operation !== 'CREATE') return false;
  return isFor(request, pods)
    ? request.subresource === 'binding'
    : request.definition.group === '' && request.definition.resource === 'bindings';
}
