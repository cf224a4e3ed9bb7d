import { nodeSelectorMatcher } from '../../api/core/node/match-node.ts';
import type { Node, NodeSelector } from '../../generated/types/core-v1.ts';
import type { Device, ResourceSlice } from '../../generated/types/resource-v1.ts';
import { deviceKey } from './device-lookup.ts';

/** A device that pods of a node can have. */
export interface NodeDevice {
  readonly key: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: Device;
  /** Where else it can be used; undefined: on every node. */
  readonly place: DevicePlace | undefined;
}

export type DevicePlace = { readonly nodeName: string } | { readonly nodeSelector: NodeSelector };

interface Placed {
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
}

/** The devices of a node, pool by pool; `slices`: of complete pools. */
export function devicesOnNode(node: Node, slices: readonly ResourceSlice[]): readonly NodeDevice[] {
  return slices.flatMap(({ spec }) => {
    const { driver, pool, devices = [], perDeviceNodeSelection } = spec;
    return devices.flatMap((device): NodeDevice[] => {
      const placed: Placed = perDeviceNodeSelection === true ? device : spec;
      if (!isOn(placed, node) || !isPlain(device)) return [];
      return [
        { key: deviceKey(driver, pool.name, device.name), driver, pool: pool.name, device, place: placeOf(placed) },
      ];
    });
  });
}

/** The slices of each pool's newest generation, where all of them are there; by driver, pool and name. */
export function completePools(slices: readonly ResourceSlice[]): readonly ResourceSlice[] {
  const pools = new Map<string, ResourceSlice[]>();
  for (const slice of slices) {
    const { driver, pool } = slice.spec;
    const key = `${driver}/${pool.name}`;
    const known = pools.get(key);
    const newest = known?.[0]?.spec.pool.generation ?? -1;
    if (known === undefined || pool.generation > newest) pools.set(key, [slice]);
    else if (pool.generation === newest) known.push(slice);
  }
  return Array.from(pools)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, members]) =>
      members.length === members[0]!.spec.pool.resourceSliceCount
        ? members.toSorted((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1))
        : [],
    );
}

function isOn({ nodeName, nodeSelector, allNodes }: Placed, node: Node): boolean {
  if ((nodeName ?? '') !== '') return nodeName === node.metadata.name;
  if (nodeSelector !== undefined) return nodeSelectorMatcher(nodeSelector)(node);
  return allNodes === true;
}

function placeOf({ nodeName, nodeSelector }: Placed): DevicePlace | undefined {
  if ((nodeName ?? '') !== '') return { nodeName: nodeName! };
  return nodeSelector === undefined ? undefined : { nodeSelector };
}

/** Devices that are shared in parts, or that must get ready first, are given to no claim. */
function isPlain({ consumesCounters = [], allowMultipleAllocations, bindingConditions = [] }: Device): boolean {
  return consumesCounters.length === 0 && allowMultipleAllocations !== true && bindingConditions.length === 0;
}
