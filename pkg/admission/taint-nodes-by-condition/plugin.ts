import { nodes } from '../../api/core/tokens.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { handles, requestsOn } from '../handles.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;

/** Keeps pods off a new node until a controller has seen it ready. */
export function taintNodesByConditionPlugin(): AdmissionPlugin {
  return {
    name: 'TaintNodesByCondition',
    admit: handles(requestsOn(nodes, 'CREATE'), (request) => {
      const { spec } = request.object;
      const given = spec.taints ?? [];
      if (!given.some((t) => t.key === NOT_READY.key && t.effect === NOT_READY.effect))
        spec.taints = [...given, { ...NOT_READY }];
    }),
  };
}
