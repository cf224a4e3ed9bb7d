import type { Pod, Toleration } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { concerns } from '../subject-matter.ts';

const SECONDS = 300;
const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';

/** Lets pods stay for five minutes on a node that stops answering, unless they say themselves how long. */
export function defaultTolerationSecondsPlugin(): AdmissionPlugin {
  return {
    name: 'DefaultTolerationSeconds',
    admit(request) {
      if (!concerns(request, '', 'pods', 'CREATE', 'UPDATE')) return;
      const { spec } = request.object as Pod;
      const given = spec.tolerations ?? [];
      const added = [NOT_READY, UNREACHABLE].filter((key) => !given.some((t) => covers(t, key))).map(tolerationOf);
      if (added.length > 0) spec.tolerations = [...given, ...added];
    },
  };
}

function covers(toleration: Toleration, key: string): boolean {
  return (!toleration.key || toleration.key === key) && (!toleration.effect || toleration.effect === 'NoExecute');
}

function tolerationOf(key: string): Toleration {
  return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS };
}
