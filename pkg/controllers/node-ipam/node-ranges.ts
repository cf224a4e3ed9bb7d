import type { Node } from '../../generated/types/core-v1.ts';
import type { ControllerMetrics } from '../controller-metrics.ts';
import { CidrSet } from './cidr-set.ts';
import { rangeMetrics, type RangeMetrics } from './metrics.ts';

export interface NodeRangesSettings {
  /** One, or one of each family: a node gets one of each, in this order. */
  readonly clusterCidrs: readonly string[];
  /** What no node gets. */
  readonly serviceCidrs: readonly string[];
  readonly maskSizeIpv4: number;
  readonly maskSizeIpv6: number;
}

/** Which node has which ranges for its pods. */
export class NodeRanges {
  private readonly sets: readonly CidrSet[];
  private readonly metrics: RangeMetrics;
  private readonly byNode = new Map<string, readonly string[]>();

  /** Throws where the settings make no sense. */
  constructor(settings: NodeRangesSettings, metrics: ControllerMetrics) {
    const { clusterCidrs, serviceCidrs, maskSizeIpv4, maskSizeIpv6 } = settings;
    if (clusterCidrs.length === 0 || clusterCidrs.length > 2)
      throw new Error('--cluster-cidr must have one range, or one of each family');
    this.sets = clusterCidrs.map((cidr) => new CidrSet(cidr, cidr.includes(':') ? maskSizeIpv6 : maskSizeIpv4));
    if (clusterCidrs.length === 2 && this.sets[0]!.isFamilyOf(clusterCidrs[1]!))
      throw new Error('--cluster-cidr must not have two ranges of the same family');
    for (const set of this.sets) for (const cidr of serviceCidrs) set.occupy(cidr);
    this.metrics = rangeMetrics(metrics, this.sets);
    for (const set of this.sets) this.metrics.allocated(set, set.figures.taken);
  }

  /** Takes the ranges that a node says it has. */
  occupy({ metadata, spec }: Node): void {
    const ranges = spec.podCIDRs ?? [];
    if (ranges.length === 0) return;
    const known = this.byNode.get(metadata.name!) ?? [];
    this.releaseRanges(known.filter((range) => !ranges.includes(range)));
    for (const set of this.sets) for (const range of ranges) this.metrics.allocated(set, set.occupy(range));
    this.byNode.set(metadata.name!, ranges);
  }

  /** Ranges for a node, the same until they are released; undefined: there are not enough. */
  allocate(node: string): readonly string[] | undefined {
    const known = this.byNode.get(node);
    if (known !== undefined) return known;
    const ranges: string[] = [];
    for (const set of this.sets) {
      const allocated = set.allocate();
      if (allocated === undefined) {
        this.releaseRanges(ranges);
        return undefined;
      }
      this.metrics.allocated(set, 1);
      this.metrics.skipped(set, allocated.skipped);
      ranges.push(allocated.range);
    }
    this.byNode.set(node, ranges);
    return ranges;
  }

  /** True: others may have what it had. */
  release(node: string): boolean {
    const known = this.byNode.get(node);
    if (known === undefined) return false;
    this.byNode.delete(node);
    this.releaseRanges(known);
    return true;
  }

  private releaseRanges(ranges: readonly string[]): void {
    for (const set of this.sets) for (const range of ranges) this.metrics.released(set, set.release(range));
  }
}
