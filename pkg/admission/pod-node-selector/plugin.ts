import { getKey, setKey } from '../../apimachinery/own-keys.ts';
import { notFound } from '../../apimachinery/status-error.ts';
import type { Namespace, Pod } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { plainFailure, refusal } from '../refusal.ts';
import { concerns } from '../subject-matter.ts';
import type { Labels, NodeSelectors } from './configuration.ts';
import { labelsOf } from './labels-of.ts';

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';

/** Binds the pods of a namespace to the nodes that its annotation, or the operator's configuration, selects. */
export function podNodeSelectorPlugin(lookup: ObjectLookup, selectors: NodeSelectors): AdmissionPlugin {
  const selectorOf = async (request: AdmissionRequest): Promise<Labels> => {
    const namespace = await lookup.get<Namespace>('namespaces', '', request.namespace);
    if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, request.namespace);
    const annotation = getKey<string>(namespace.metadata.annotations, ANNOTATION);
    return annotation === undefined ? selectors.byDefault : parsed(annotation);
  };
  return {
    name: 'PodNodeSelector',
    async admit(request) {
      if (!concerns(request, '', 'pods', 'CREATE')) return;
      const { spec } = request.object as Pod;
      const required = await selectorOf(request);
      checkConflicts(request, required);
      if (required.size === 0) return;
      const merged = { ...spec.nodeSelector };
      for (const [key, value] of required) setKey(merged, key, value);
      spec.nodeSelector = merged;
    },
    async validate(request) {
      if (!concerns(request, '', 'pods', 'CREATE')) return;
      checkConflicts(request, await selectorOf(request));
      const allowed = selectors.allowed.get(request.namespace);
      if (allowed !== undefined && allowed.size > 0) checkAllowed(request, allowed);
    },
  };
}

function checkConflicts(request: AdmissionRequest, required: Labels): void {
  const { nodeSelector } = (request.object as Pod).spec;
  for (const [key, value] of required) {
    if ((getKey<string>(nodeSelector, key) ?? value) !== value) throw refusal(request, 'pod node label selector conflicts with its namespace node label selector');
  }
}

function checkAllowed(request: AdmissionRequest, allowed: Labels): void {
  for (const [key, value] of Object.entries((request.object as Pod).spec.nodeSelector ?? {})) {
    if (allowed.get(key) !== value) throw refusal(request, 'pod node label selector labels conflict with its namespace whitelist');
  }
}

function parsed(annotation: string): Labels {
  try {
    return labelsOf(annotation);
  } catch (error) {
    throw plainFailure((error as Error).message);
  }
}
