import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../generated/types/core-v1.ts';
import { inStockOrder } from './subset-order.ts';

/** The addresses of one port; `undefined` stands for a subset without ports. */
interface PortAddresses {
  readonly port: EndpointPort | undefined;
  /** Whether each is ready, by the key of the address. */
  readonly ready: Map<string, boolean>;
}

/**
 * The same endpoints in the fewest subsets: ports that the same addresses have are in one subset, and addresses that
 * have the same ports. An address that one subset says is not ready is not ready. Equal content gives equal subsets.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const addressOf = new Map<string, EndpointAddress>();
  const byPort = new Map<string, PortAddresses>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets)
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const { ready } = entryOf(byPort, port);
      for (const [list, isReady] of [[addresses, true] as const, [notReadyAddresses, false] as const])
        for (const address of list) {
          const key = keyOf(address);
          if (!addressOf.has(key)) addressOf.set(key, address);
          ready.set(key, isReady && ready.get(key) !== false);
        }
    }
  const addresses = (ready: ReadonlyMap<string, boolean>, wanted: boolean): EndpointAddress[] =>
    [...ready].filter(([, isReady]) => isReady === wanted).map(([key]) => addressOf.get(key)!);
  return inStockOrder(
    byAddresses([...byPort.values()]).map(({ ready, ports }) => ({
      addresses: addresses(ready, true),
      notReadyAddresses: addresses(ready, false),
      ports,
    })),
  );
}

function entryOf(byPort: Map<string, PortAddresses>, port: EndpointPort | undefined): PortAddresses {
  const key = port === undefined ? '' : JSON.stringify([port.name, port.port, port.protocol, port.appProtocol]);
  const known = byPort.get(key) ?? { port, ready: new Map<string, boolean>() };
  byPort.set(key, known);
  return known;
}

function byAddresses(
  all: readonly PortAddresses[],
): { readonly ready: ReadonlyMap<string, boolean>; readonly ports: EndpointPort[] }[] {
  const groups = new Map<string, { readonly ready: ReadonlyMap<string, boolean>; readonly ports: EndpointPort[] }>();
  for (const { port, ready } of all) {
    const key = JSON.stringify([...ready].sort(([a], [b]) => (a < b ? -1 : 1)));
    const group = groups.get(key) ?? { ready, ports: [] };
    if (port !== undefined) group.ports.push(port);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function keyOf({ ip, targetRef }: EndpointAddress): string {
  return JSON.stringify([ip, targetRef?.uid ?? '']);
}
