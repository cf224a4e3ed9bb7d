import { namespaces, pods } from '../../api/core/tokens.ts';
import { qosClass } from '../../api/core/pod/qos-class.ts';
import { notFound } from '../../apimachinery/errors/status-error.ts';
import type { Namespace, Toleration } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { mergeTolerations, toleratesAll } from '../merge-tolerations.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { plainFailure } from '../refusal.ts';
import { handles, requestsOn } from '../handles.ts';
import type { ClusterTolerations } from './configuration.ts';
import { allowedTolerations, defaultTolerations } from './namespace-tolerations.ts';

/** Pods with requests stay on nodes that run short of memory: others are evicted first. */
const MEMORY_PRESSURE: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** Adds the default tolerations of their namespace to pods and bounds their tolerations. */
export function podTolerationRestrictionPlugin(lookup: ObjectLookup, cluster: ClusterTolerations): AdmissionPlugin {
  return {
    name: 'PodTolerationRestriction',
    admit: handles(requestsOn(pods, 'CREATE', 'UPDATE'), async (request) => {
      const { spec } = request.object;
      const defaults =
        request.operation === 'CREATE'
          ? (defaultTolerations(await namespaceOf(lookup, request)) ?? cluster.byDefault)
          : [];
      const added = qosClass(spec) === 'BestEffort' ? defaults : [...defaults, MEMORY_PRESSURE];
      if (added.length > 0) spec.tolerations = mergeTolerations(spec.tolerations ?? [], added);
    }),
    validate: handles(requestsOn(pods, 'CREATE', 'UPDATE'), async (request) => {
      const tolerations = request.object.spec.tolerations ?? [];
      if (tolerations.length === 0) return;
      const own = allowedTolerations(await namespaceOf(lookup, request));
      const allowed = own ?? cluster.allowed;
      if (allowed.length === 0 || tolerations.every((t) => allowed.some((wide) => toleratesAll(wide, t)))) return;
      const scope = own === undefined ? 'cluster' : 'namespace';
      throw plainFailure(
        `pod tolerations (possibly merged with ${scope} default tolerations) conflict with its ${scope} whitelist`,
      );
    }),
  };
}

async function namespaceOf(lookup: ObjectLookup, { namespace }: AdmissionRequest): Promise<Namespace> {
  const found = await lookup.get(namespaces, '', namespace);
  if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  return found;
}
