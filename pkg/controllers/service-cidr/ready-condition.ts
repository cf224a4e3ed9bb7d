import { formatTime } from '../../apimachinery/values/time.ts';
import type { Condition } from '../../generated/types/meta-v1.ts';
import type { ServiceCIDR } from '../../generated/types/networking-v1.ts';

export function readyCondition({ status }: ServiceCIDR): Condition | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready');
}

/** A copy with the Ready condition; its time is that of the last change of its status. */
export function withReady(
  cidr: ServiceCIDR,
  wanted: Pick<Condition, 'status' | 'reason' | 'message'>,
  nowMs: number,
): ServiceCIDR {
  const before = readyCondition(cidr);
  const isSameStatus = before !== undefined && before.status === wanted.status;
  const lastTransitionTime = isSameStatus ? before.lastTransitionTime : formatTime(new Date(nowMs));
  const others = (cidr.status.conditions ?? []).filter((condition) => condition !== before);
  const conditions = [...others, { type: 'Ready', ...wanted, lastTransitionTime }];
  return { ...cidr, status: { ...cidr.status, conditions } };
}
