import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import type { NodeRanges } from './node-ranges.ts';

/** A node without a range is looked at again, though nothing may have been released. */
const RETRY_MS = 60_000;

export interface NodeIpamSteps {
  readonly node: (name: string) => Node | undefined;
  readonly ranges: NodeRanges;
  readonly write: (node: Node, ranges: readonly string[]) => Promise<unknown>;
  /** Ranges are free again. */
  readonly released: () => void;
  readonly failed: (node: Node, reason: 'CIDRNotAvailable' | 'CIDRAssignmentFailed') => void;
}

/** Gives a node the ranges that it lacks; takes back those of a node that is gone. */
export async function reconcile(
  name: string,
  { node: get, ranges, write, released, failed }: NodeIpamSteps,
): Promise<number | undefined> {
  const node = get(name);
  if (node === undefined) {
    if (ranges.release(name)) released();
    return undefined;
  }
  if ((node.spec.podCIDRs ?? []).length > 0 || (node.spec.podCIDR ?? '') !== '') {
    ranges.occupy(node);
    return undefined;
  }
  const allocated = ranges.allocate(name);
  if (allocated === undefined) {
    failed(node, 'CIDRNotAvailable');
    return RETRY_MS;
  }
  try {
    await write(node, allocated);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    // Another program may have given it ranges: that is seen soon, and these are free again then.
    if (!isConflict(error)) failed(node, 'CIDRAssignmentFailed');
    throw error;
  }
  return undefined;
}
