import type { Node, Service } from '../../generated/types/core-v1.ts';
import type { Endpoint, EndpointSlice } from '../../generated/types/discovery-v1.ts';
import type { SliceChanges } from '../service-endpoints/slice-changes.ts';
import { unchangedSlices, withoutHints } from './traffic-hints.ts';
import { add, type Allocation, allocationsOf, isOverloaded, type ZoneCounts, zoneMoves } from './zone-allocations.ts';
import { type ZoneShares, zoneShares } from './zone-shares.ts';

const MODE = 'service.kubernetes.io/topology-mode';
/** The name of the annotation in earlier releases, which wins. */
const EARLIER_MODE = 'service.kubernetes.io/topology-aware-hints';

/** Whether the annotation of a service asks for endpoints divided among zones by their CPU. */
export function wantsTopology({ metadata }: Service): boolean {
  const mode = metadata.annotations?.[EARLIER_MODE] ?? metadata.annotations?.[MODE];
  return mode === 'Auto' || mode === 'auto';
}

/** What to say of the hints of a service, where there is something. */
export interface HintsEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

export interface Hinted {
  readonly changes: SliceChanges;
  readonly event: HintsEvent | undefined;
}

/**
 * Hints that give each zone the share of a service's endpoints that it has of the CPU of all nodes. Where that cannot
 * be done, no endpoint has a hint. Keeps what was divided how, for the question which services a change of nodes
 * concerns.
 */
export class TopologyHints {
  private readonly nodes: () => readonly Node[];
  /** Undefined: not computed yet. */
  private computed: { readonly shares: ZoneShares | undefined } | undefined;
  /** By service and type of address. */
  private readonly placed = new Map<string, Map<string, ZoneCounts>>();
  /** Services that were said to have hints. */
  private readonly announced = new Set<string>();

  constructor(nodes: () => readonly Node[]) {
    this.nodes = nodes;
  }

  /** Nodes have changed: returns the services whose endpoints are now divided badly. */
  nodesChanged(): readonly string[] {
    this.computed = undefined;
    return [...this.placed]
      .filter(([, byType]) => [...byType.values()].some((counts) => isOverloaded(counts, this.shares())))
      .map(([service]) => service);
  }

  add(service: string, addressType: string, changes: SliceChanges, existing: readonly EndpointSlice[]): Hinted {
    const unchanged = unchangedSlices(changes, existing);
    const ready = [...changes.create, ...changes.update, ...unchanged].flatMap(readyEndpoints).length;
    const allocations = allocationsOf(this.shares(), ready);
    if (typeof allocations === 'string') return this.refused(allocations, service, addressType, changes, existing);
    const { counts, stale } = keptHints(unchanged, allocations);
    const update = [...changes.update, ...stale].map(copied);
    const create = changes.create.map(copied);
    const slices = [...create, ...update];
    if (slices.flatMap(readyEndpoints).some(({ zone }) => (zone ?? '') === ''))
      return this.refused(
        'One or more endpoints do not have a zone specified',
        service,
        addressType,
        changes,
        existing,
      );
    divide(slices, allocations, counts);
    this.place(service, addressType, counts);
    const isNew = !this.announced.has(service);
    this.announced.add(service);
    return {
      changes: { create, update, remove: changes.remove },
      event: isNew ? eventOf('Normal', 'Topology Aware Hints has been enabled', addressType) : undefined,
    };
  }

  /** The service does not ask for hints, or not any more. */
  remove(service: string, addressType: string): HintsEvent | undefined {
    const hadHints = this.announced.delete(service);
    this.unplace(service, addressType);
    return hadHints ? eventOf('Warning', 'Topology Aware Hints has been disabled', addressType) : undefined;
  }

  forget(service: string): void {
    this.placed.delete(service);
    this.announced.delete(service);
  }

  private shares(): ZoneShares | undefined {
    this.computed ??= { shares: zoneShares(this.nodes()) };
    return this.computed.shares;
  }

  private refused(
    why: string,
    service: string,
    addressType: string,
    changes: SliceChanges,
    existing: readonly EndpointSlice[],
  ): Hinted {
    this.announced.delete(service);
    this.unplace(service, addressType);
    return { changes: withoutHints(changes, existing), event: eventOf('Warning', why, addressType) };
  }

  private place(service: string, addressType: string, counts: ZoneCounts): void {
    const byType = this.placed.get(service) ?? new Map<string, ZoneCounts>();
    byType.set(addressType, counts);
    this.placed.set(service, byType);
  }

  private unplace(service: string, addressType: string): void {
    const byType = this.placed.get(service);
    byType?.delete(addressType);
    if (byType?.size === 0) this.placed.delete(service);
  }
}

function eventOf(type: HintsEvent['type'], text: string, addressType: string): HintsEvent {
  const reason = type === 'Normal' ? 'TopologyAwareHintsEnabled' : 'TopologyAwareHintsDisabled';
  return { type, reason, note: `${text}, addressType: ${addressType}` };
}

function readyEndpoints({ endpoints }: EndpointSlice): readonly Endpoint[] {
  return (endpoints ?? []).filter(isReady);
}

function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready === true;
}

function copied(slice: EndpointSlice): EndpointSlice {
  return { ...slice, endpoints: (slice.endpoints ?? []).map((endpoint) => ({ ...endpoint })) };
}

/** Slices whose hints may stay, counted by zone, and the others. */
function keptHints(
  slices: readonly EndpointSlice[],
  allocations: ReadonlyMap<string, Allocation>,
): { readonly counts: ZoneCounts; readonly stale: readonly EndpointSlice[] } {
  const counts: ZoneCounts = new Map();
  const stale = slices.filter((slice) => {
    const own: ZoneCounts = new Map();
    for (const { hints } of readyEndpoints(slice)) {
      const zone = hints?.forZones?.[0]?.name;
      if (zone === undefined || hints!.forZones!.some(({ name }) => !allocations.has(name))) return true;
      add(own, zone, 1);
    }
    for (const [zone, count] of own) if (count + (counts.get(zone) ?? 0) > allocations.get(zone)!.maximum) return true;
    for (const [zone, count] of own) add(counts, zone, count);
    return false;
  });
  return { counts, stale };
}

/** First every endpoint serves its own zone, then zones that have too many give some to those that have too few. */
function divide(
  slices: readonly EndpointSlice[],
  allocations: ReadonlyMap<string, Allocation>,
  counts: ZoneCounts,
): void {
  const endpoints = slices.flatMap(readyEndpoints);
  for (const slice of slices) for (const endpoint of slice.endpoints ?? []) delete endpoint.hints;
  for (const endpoint of endpoints) {
    endpoint.hints = { forZones: [{ name: endpoint.zone! }] };
    add(counts, endpoint.zone!, 1);
  }
  const { giving, receiving } = zoneMoves(allocations, counts);
  for (const endpoint of endpoints) {
    if ((giving.get(endpoint.zone!) ?? 0) <= 0) continue;
    const to = [...receiving].find(([, count]) => count > 0)?.[0];
    if (to === undefined) return;
    endpoint.hints = { forZones: [{ name: to }] };
    add(giving, endpoint.zone!, -1);
    add(receiving, to, -1);
    add(counts, endpoint.zone!, -1);
    add(counts, to, 1);
  }
}
