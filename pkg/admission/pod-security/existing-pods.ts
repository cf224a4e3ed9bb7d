import { setImmediate as nextTurn } from 'node:timers/promises';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { violationReasons, violationsOf } from './evaluate-pod.ts';
import { levelText, type LevelVersion } from './level.ts';

const CHECKED_MAX = 3000;
const CHECKED_PER_TURN = 200;

/** Warnings of existing pods that violate a namespace's new level: one per kind of violation. */
export async function warningsOfPods(
  namespace: string,
  pods: readonly Pod[],
  enforce: LevelVersion,
  isExempt: (pod: Pod) => boolean,
): Promise<string[]> {
  const namesByReason = new Map<string, string[]>();
  for (const [i, pod] of pods.slice(0, CHECKED_MAX).entries()) {
    if (i > 0 && i % CHECKED_PER_TURN === 0) await nextTurn();
    const violations = isExempt(pod) ? [] : violationsOf(enforce, pod.metadata, pod.spec);
    if (violations.length === 0) continue;
    const reason = violationReasons(violations);
    const names = namesByReason.get(reason);
    if (names === undefined) namesByReason.set(reason, [pod.metadata.name ?? '']);
    else names.push(pod.metadata.name ?? '');
  }
  return [
    ...(pods.length > CHECKED_MAX
      ? [`new PodSecurity enforce level only checked against the first ${CHECKED_MAX} of ${pods.length} existing pods`]
      : []),
    ...(namesByReason.size > 0
      ? [
          `existing pods in namespace ${goQuote(namespace)} violate the new PodSecurity enforce level ${goQuote(levelText(enforce))}`,
        ]
      : []),
    ...[...namesByReason].map(([reason, names]) => `${podsText(names)}: ${reason}`).sort(),
  ];
}

function podsText(names: readonly string[]): string {
  const first = [...names].sort()[0]!;
  const others = names.length - 1;
  return others === 0 ? first : `${first} (and ${others} other ${others === 1 ? 'pod' : 'pods'})`;
}
