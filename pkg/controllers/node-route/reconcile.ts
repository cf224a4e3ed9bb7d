import { formatTime } from '../../apimachinery/values/time.ts';
import type { Node, NodeCondition } from '../../generated/types/core-v1.ts';
import type { Route, RouteProvider } from '../providers/routes.ts';

const CONDITION = 'NetworkUnavailable';

export interface RouteSteps {
  readonly nodes: () => readonly Node[];
  readonly provider: RouteProvider;
  readonly clusterName: string;
  readonly writeConditions: (node: Node, conditions: NodeCondition[]) => Promise<unknown>;
  readonly failed: (node: Node, cidr: string, error: Error) => void;
  readonly report: (error: unknown) => void;
  readonly wallMs: () => number;
}

/** Makes the routes that nodes lack, deletes those of nodes that are gone, and reports both in the nodes. */
export async function reconcile(steps: RouteSteps): Promise<void> {
  const { provider, clusterName, report } = steps;
  const known = await provider.list(clusterName);
  const nodes = steps.nodes();
  const wanted = new Set(nodes.flatMap((node) => rangesOf(node).map((cidr) => keyOf(node.metadata.name!, cidr))));
  for (const route of known) {
    if (wanted.has(keyOf(route.node, route.cidr))) continue;
    await provider.delete(clusterName, route).catch(report);
  }
  const present = new Set(known.map(({ node, cidr }) => keyOf(node, cidr)));
  for (const node of nodes) await keepRoutes(node, present, steps);
}

async function keepRoutes(node: Node, present: ReadonlySet<string>, steps: RouteSteps): Promise<void> {
  const { provider, clusterName, writeConditions, failed, report, wallMs } = steps;
  const { name = '', uid = '' } = node.metadata;
  const ranges = rangesOf(node);
  // A node without a range has nothing to be reached.
  if (ranges.length === 0) return;
  let hasAll = true;
  for (const cidr of ranges) {
    if (present.has(keyOf(name, cidr))) continue;
    const route: Route = { name: '', node: name, cidr };
    await provider.create(clusterName, `${uid}-${ranges.indexOf(cidr)}`, route).catch((error: Error) => {
      hasAll = false;
      failed(node, cidr, error);
    });
  }
  const conditions = withCondition(node, hasAll, formatTime(new Date(wallMs())));
  if (conditions !== undefined) await writeConditions(node, conditions).catch(report);
}

/** Undefined: the node says so already. */
function withCondition({ status }: Node, hasAll: boolean, now: string): NodeCondition[] | undefined {
  const known = status.conditions ?? [];
  const value = hasAll ? 'False' : 'True';
  const before = known.find(({ type }) => type === CONDITION);
  if (before?.status === value) return undefined;
  const condition: NodeCondition = {
    type: CONDITION,
    status: value,
    reason: hasAll ? 'RouteCreated' : 'NoRouteCreated',
    message: hasAll ? 'RouteController created a route' : 'RouteController failed to create a route',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  return before === undefined ? [...known, condition] : known.map((one) => (one === before ? condition : one));
}

function rangesOf({ spec }: Node): readonly string[] {
  return spec.podCIDRs ?? [];
}

function keyOf(node: string, cidr: string): string {
  return `${node} ${cidr}`;
}
