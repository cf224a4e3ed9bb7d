import { formatTime } from '../../apimachinery/values/time.ts';
import type { Pod } from '../../generated/types/core-v1.ts';

/** A pod as it is when its node says nothing of it: not ready. Undefined where it does not claim to be. */
export function notReadyPod(pod: Pod, wallMs: number): Pod | undefined {
  const ready = pod.status.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'False') return undefined;
  const conditions = pod.status.conditions!.map((condition) =>
    condition === ready
      ? { ...condition, status: 'False', lastTransitionTime: formatTime(new Date(wallMs)) }
      : condition,
  );
  return { ...pod, status: { ...pod.status, conditions } };
}
