import type { Node } from '../../../generated/types/core-v1.ts';
import { roundResourceList } from '../pod-spec/resource-list.ts';

/** All of a node's capacity may be given to pods by default. */
export function setNodeDefaults({ status }: Node): void {
  roundResourceList(status.capacity);
  if (status.allocatable === undefined && status.capacity !== undefined) status.allocatable = { ...status.capacity };
  roundResourceList(status.allocatable);
}
