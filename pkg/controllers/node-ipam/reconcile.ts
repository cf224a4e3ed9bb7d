import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import { KnownProblem } from '../queue-controller.ts';
import type { NodeRanges } from './node-ranges.ts';

/** How often a write is tried before an event reports that it fails. */
const WRITES_MAX = 3;

export interface NodeIpamSteps {
  readonly node: (name: string) => Node | undefined;
  readonly ranges: NodeRanges;
  readonly write: (node: Node, ranges: readonly string[]) => Promise<unknown>;
  /** Ranges are free again. */
  readonly released: () => void;
  readonly failed: (node: Node, reason: 'CIDRNotAvailable' | 'CIDRAssignmentFailed') => void;
}

/** Gives a node the ranges that it lacks; takes back those of a node that is being deleted. */
export async function reconcile(
  name: string,
  { node: get, ranges, write, released, failed }: NodeIpamSteps,
): Promise<undefined> {
  const node = get(name);
  if (node === undefined) return undefined;
  if (node.metadata.deletionTimestamp !== undefined) {
    if (ranges.release(name)) released();
    return undefined;
  }
  if ((node.spec.podCIDRs ?? []).length > 0) {
    ranges.occupy(node);
    return undefined;
  }
  const allocated = ranges.allocate(name);
  if (allocated === undefined) {
    failed(node, 'CIDRNotAvailable');
    // Tried again later and when ranges are released.
    throw new KnownProblem('CIDRNotAvailable');
  }
  for (let written = 1; ; written++) {
    try {
      await write(node, allocated);
      return undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      // Another program may have given it ranges: that is seen soon, and these are free again then.
      if (!isConflict(error)) {
        if (written < WRITES_MAX) continue;
        failed(node, 'CIDRAssignmentFailed');
      }
      throw error;
    }
  }
}
