import { pods } from '../../api/core/tokens.ts';
import type { Toleration } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { handles, requestsOn } from '../handles.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';

/** How long pods stay on a node that stops answering, by default; seconds. */
export interface TolerationSeconds {
  readonly notReady: number;
  readonly unreachable: number;
}

/** Adds tolerations with a time limit for nodes that are not ready or not reachable. */
export function defaultTolerationSecondsPlugin({ notReady, unreachable }: TolerationSeconds): AdmissionPlugin {
  const defaults = [tolerationOf(NOT_READY, notReady), tolerationOf(UNREACHABLE, unreachable)];
  return {
    name: 'DefaultTolerationSeconds',
    admit: handles(requestsOn(pods, 'CREATE', 'UPDATE'), (request) => {
      const { spec } = request.object;
      const given = spec.tolerations ?? [];
      const added = defaults.filter(({ key = '' }) => !given.some((t) => covers(t, key)));
      if (added.length > 0) spec.tolerations = [...given, ...added.map((toleration) => ({ ...toleration }))];
    }),
  };
}

function covers(toleration: Toleration, key: string): boolean {
  return (!toleration.key || toleration.key === key) && (!toleration.effect || toleration.effect === 'NoExecute');
}

function tolerationOf(key: string, tolerationSeconds: number): Toleration {
  return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds };
}
