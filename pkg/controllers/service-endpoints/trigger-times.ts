import { formatTime } from '../../apimachinery/values/time.ts';
import type { Pod, Service } from '../../generated/types/core-v1.ts';
import { podCondition } from '../owned/pod-state.ts';

export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

interface Seen {
  readonly service: number;
  readonly pods: ReadonlyMap<string, number>;
}

/** When that happened which a write of endpoints is the answer to; programming latency is measured from it. */
export class TriggerTimes {
  private readonly seen = new Map<string, Seen>();

  /**
   * The earliest change since the last call for the service, at the first call the service's creation; undefined where
   * none has a time.
   */
  next(key: string, { metadata }: Service, pods: readonly Pod[]): string | undefined {
    const before = this.seen.get(key);
    const service = timeOf(metadata.creationTimestamp);
    const times = new Map<string, number>();
    const changed: number[] = service > (before?.service ?? 0) ? [service] : [];
    for (const pod of pods) {
      const time = timeOf(podCondition(pod, 'Ready')?.lastTransitionTime);
      if (time === 0) continue;
      times.set(pod.metadata.name!, time);
      if (time > (before?.pods.get(pod.metadata.name!) ?? 0)) changed.push(time);
    }
    this.seen.set(key, { service, pods: times });
    if (before === undefined) return service === 0 ? undefined : formatTime(new Date(service));
    if (changed.length === 0) return undefined;
    return formatTime(new Date(changed.reduce((first, time) => Math.min(first, time))));
  }

  forget(key: string): void {
    this.seen.delete(key);
  }
}

/** 0: no time. */
function timeOf(text: string | null | undefined): number {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? 0 : ms;
}

/** Annotations of what is written now: the time of its cause, or none. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Record<string, string> {
  const { [TRIGGER_TIME]: _, ...rest } = annotations ?? {};
  return time === undefined ? rest : { ...rest, [TRIGGER_TIME]: time };
}
