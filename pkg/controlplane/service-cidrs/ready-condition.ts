import type { Condition } from '../../generated/types/meta-v1.ts';
import type { ServiceCIDR } from '../../generated/types/networking-v1.ts';
import { changeOwnStatus } from '../../registry/own-writes.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';

export function readyCondition({ status }: ServiceCIDR): Condition | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready');
}

/** Sets the Ready condition; its time is that of the last change of its status. */
export async function setReady(
  store: ResourceStore,
  name: string,
  wanted: Pick<Condition, 'status' | 'reason' | 'message'>,
): Promise<void> {
  await changeOwnStatus<ServiceCIDR>(store, '', name, (cidr) => {
    const before = readyCondition(cidr);
    const lastTransitionTime =
      before?.status === wanted.status ? before.lastTransitionTime : `${new Date().toISOString().slice(0, 19)}Z`;
    const others = (cidr.status.conditions ?? []).filter((condition) => condition !== before);
    cidr.status.conditions = [...others, { type: 'Ready', ...wanted, lastTransitionTime }];
  });
}
