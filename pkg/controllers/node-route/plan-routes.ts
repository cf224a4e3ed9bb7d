import { deepEqual } from '../../apimachinery/json/deep.ts';
import { addressNumber, parseCidr, type Cidr } from '../../apimachinery/names/ip.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import type { Route } from '../providers/routes.ts';

/** What is to happen, node by node. */
export interface NodeRoutes {
  readonly node: Node;
  /** Of the ranges that the node has. */
  readonly missing: readonly string[];
  readonly hasRanges: boolean;
}

export interface RoutePlan {
  readonly stale: readonly Route[];
  /** Nodes without ranges and without routes are left out: nothing is known of their network. */
  readonly nodes: readonly NodeRoutes[];
}

/**
 * Compares the routes of a cloud with the ranges of the nodes. Routes outside of the ranges of the cluster belong to
 * others.
 */
export function planRoutes(
  routes: readonly Route[],
  nodes: readonly Node[],
  clusterCidrs: readonly string[],
): RoutePlan {
  const routesOf = new Map<string, Route[]>();
  for (const route of routes) {
    if (route.node === '') continue;
    const known = routesOf.get(route.node);
    if (known === undefined) routesOf.set(route.node, [route]);
    else known.push(route);
  }
  const kept = new Set<Route>();
  const plans: NodeRoutes[] = [];
  for (const node of nodes) {
    const own = routesOf.get(node.metadata.name!);
    const ranges = node.spec.podCIDRs ?? [];
    if (ranges.length === 0 && own === undefined) continue;
    const missing = ranges.filter((cidr) => {
      const ofRange = (own ?? []).filter((route) => route.cidr === cidr);
      if (!hasAddresses(ofRange[0], node)) return true;
      for (const route of ofRange) kept.add(route);
      return false;
    });
    plans.push({ node, missing, hasRanges: ranges.length > 0 });
  }
  const clusterRanges = clusterCidrs.flatMap((cidr) => parseCidr(cidr) ?? []);
  return {
    stale: routes.filter(
      (route) => (route.blackhole === true || !kept.has(route)) && isWithin(route.cidr, clusterRanges),
    ),
    nodes: plans,
  };
}

function hasAddresses(route: Route | undefined, { status }: Node): boolean {
  if (route === undefined) return false;
  if (route.addresses === undefined) return true;
  const current = status.addresses ?? [];
  return (
    current.length === route.addresses.length &&
    current.every((address) => route.addresses!.some((other) => deepEqual(other, address)))
  );
}

/** Whether the first or the last address of a range is in one of the others; false for what is no range. */
function isWithin(cidr: string, ranges: readonly Cidr[]): boolean {
  const range = parseCidr(cidr);
  if (range === undefined) return false;
  const [first, last] = bounds(range);
  return ranges.some((other) => {
    if (other.base.length !== range.base.length) return false;
    const [from, to] = bounds(other);
    return (first >= from && first <= to) || (last >= from && last <= to);
  });
}

function bounds({ base, prefixBits }: Cidr): readonly [first: bigint, last: bigint] {
  const first = addressNumber(base);
  return [first, first + (1n << BigInt(base.length * 8 - prefixBits)) - 1n];
}
