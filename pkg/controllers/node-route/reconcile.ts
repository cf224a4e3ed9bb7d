import { formatDuration, formatTime } from '../../apimachinery/values/time.ts';
import type { Node, NodeCondition } from '../../generated/types/core-v1.ts';
import type { RouteProvider } from '../providers/routes.ts';
import { planRoutes, type NodeRoutes } from './plan-routes.ts';

const CONDITION = 'NetworkUnavailable';
/** Calls that wait for the cloud, or for the server, at once. */
const CALLS_MAX = 200;

export interface RouteSteps {
  readonly nodes: () => readonly Node[];
  readonly provider: RouteProvider;
  readonly clusterName: string;
  readonly clusterCidrs: readonly string[];
  readonly writeCondition: (node: Node, condition: NodeCondition) => Promise<unknown>;
  /** Of a route that could not be made. */
  readonly failed: (node: Node, note: string) => void;
  readonly report: (error: unknown) => void;
  readonly wallMs: () => number;
  readonly steadyMs: () => number;
}

/** Makes the routes that nodes lack, deletes those of nodes that are gone, and reports both in the nodes. */
export async function reconcile(steps: RouteSteps): Promise<void> {
  const { provider, clusterName, clusterCidrs, report } = steps;
  const { stale, nodes } = planRoutes(await provider.list(clusterName), steps.nodes(), clusterCidrs);
  // First: a route that is made again may have the same name.
  await forEach(stale, (route) => provider.delete(clusterName, route).catch(report));
  const incomplete = new Set<NodeRoutes>();
  const missing = nodes.flatMap((routes) => routes.missing.map((cidr) => ({ routes, cidr })));
  await forEach(missing, async ({ routes, cidr }) => {
    if (!(await createRoute(routes.node, cidr, steps))) incomplete.add(routes);
  });
  await forEach(nodes, async (routes) => {
    const condition = changedCondition(routes.node, routes.hasRanges && !incomplete.has(routes), steps.wallMs());
    if (condition !== undefined) await steps.writeCondition(routes.node, condition).catch(report);
  });
}

async function createRoute(node: Node, cidr: string, steps: RouteSteps): Promise<boolean> {
  const { provider, clusterName, failed, steadyMs } = steps;
  const { name = '', uid = '' } = node.metadata;
  const startMs = steadyMs();
  try {
    await provider.create(clusterName, uid, { name: '', node: name, cidr, addresses: node.status.addresses ?? [] });
    return true;
  } catch (error) {
    const after = formatDuration(Math.round((steadyMs() - startMs) * 1e6));
    failed(node, `Could not create route ${uid} ${cidr} for node ${name} after ${after}: ${(error as Error).message}`);
    return false;
  }
}

/** Undefined: the node says so already. */
function changedCondition({ status }: Node, hasAll: boolean, nowMs: number): NodeCondition | undefined {
  const value = hasAll ? 'False' : 'True';
  if (status.conditions?.find(({ type }) => type === CONDITION)?.status === value) return undefined;
  const now = formatTime(new Date(nowMs));
  return {
    type: CONDITION,
    status: value,
    reason: hasAll ? 'RouteCreated' : 'NoRouteCreated',
    message: hasAll ? 'RouteController created a route' : 'RouteController failed to create a route',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
}

async function forEach<T>(items: readonly T[], call: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const work = async (): Promise<void> => {
    for (const item of rest) await call(item);
  };
  await Promise.all(Array.from({ length: Math.min(CALLS_MAX, items.length) }, work));
}
