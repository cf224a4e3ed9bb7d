import { parseQuantity } from '../../apimachinery/values/quantity.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import { isNodeReady } from '../owned/node-state.ts';

export const ZONE = 'topology.kubernetes.io/zone';
const EXCLUDED = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** By zone: its share of the CPU that ready nodes have for pods. */
export type ZoneShares = ReadonlyMap<string, number>;

/** Undefined where a node does not say its zone or its CPU, or where there is one zone only. */
export function zoneShares(nodes: readonly Node[]): ZoneShares | undefined {
  const cpu = new Map<string, number>();
  let total = 0;
  for (const node of nodes) {
    if (EXCLUDED.some((label) => node.metadata.labels?.[label] !== undefined) || !isNodeReady(node)) continue;
    const zone = node.metadata.labels?.[ZONE] ?? '';
    const milli = Number(parseQuantity(node.status.allocatable?.['cpu'] ?? '0').milliValue());
    if (zone === '' || milli === 0) return undefined;
    cpu.set(zone, (cpu.get(zone) ?? 0) + milli);
    total += milli;
  }
  if (cpu.size < 2) return undefined;
  return new Map(Array.from(cpu, ([zone, milli]) => [zone, milli / total]));
}

/** Whether a change of a node may change the shares. */
export function sharesMayChange(old: Node, current: Node): boolean {
  return isNodeReady(old) !== isNodeReady(current) || old.metadata.labels?.[ZONE] !== current.metadata.labels?.[ZONE];
}
