import { namespaces, pods } from '../../api/core/tokens.ts';
import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import { forbidden, notFound } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { plainFailure } from '../refusal.ts';
import { handles, requestsOn } from '../handles.ts';
import type { Labels, NodeSelectors } from './configuration.ts';
import { labelsOf } from './labels-of.ts';

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';

/** Binds the pods of a namespace to the nodes that its annotation, or the operator's configuration, selects. */
export function podNodeSelectorPlugin(lookup: ObjectLookup, selectors: NodeSelectors): AdmissionPlugin {
  const selectorOf = async (request: AdmissionRequest): Promise<Labels> => {
    const namespace = await lookup.get(namespaces, '', request.namespace);
    if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, request.namespace);
    const annotation = getKey<string>(namespace.metadata.annotations, ANNOTATION);
    return annotation === undefined ? selectors.byDefault : parsed(annotation);
  };
  return {
    name: 'PodNodeSelector',
    admit: handles(requestsOn(pods, 'CREATE'), async (request) => {
      const pod = request.object;
      const required = await selectorOf(request);
      checkConflicts(pod, required);
      if (required.size > 0) {
        const merged = { ...pod.spec.nodeSelector };
        for (const [key, value] of required) setKey(merged, key, value);
        pod.spec.nodeSelector = merged;
      }
      checkAllowed(pod, selectors.allowed.get(request.namespace));
    }),
    validate: handles(requestsOn(pods, 'CREATE'), async (request) => {
      const pod = request.object;
      checkConflicts(pod, await selectorOf(request));
      checkAllowed(pod, selectors.allowed.get(request.namespace));
    }),
  };
}

function checkConflicts(pod: Pod, required: Labels): void {
  for (const [key, value] of required) {
    if ((getKey<string>(pod.spec.nodeSelector, key) ?? value) !== value)
      throw refused(pod, 'pod node label selector conflicts with its namespace node label selector');
  }
}

/** Everything is allowed where the operator names no labels. */
function checkAllowed(pod: Pod, allowed: Labels = new Map()): void {
  if (allowed.size === 0) return;
  for (const [key, value] of Object.entries(pod.spec.nodeSelector ?? {})) {
    if (allowed.get(key) !== value)
      throw refused(pod, 'pod node label selector labels conflict with its namespace whitelist');
  }
}

/** A pod that has no name yet is not named. */
function refused({ metadata }: Pod, message: string): Error {
  return forbidden({ group: '', resource: 'pods' }, metadata.name ?? '', message);
}

function parsed(annotation: string): Labels {
  try {
    return labelsOf(annotation);
  } catch (error) {
    throw plainFailure((error as Error).message);
  }
}
