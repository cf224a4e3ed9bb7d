import type { Node } from '../../generated/types/core-v1.ts';

export type ZoneState = 'Initial' | 'Normal' | 'FullDisruption' | 'PartialDisruption';

/** In a zone with fewer lost nodes than this it may be the nodes. */
const LOST_NODES_MIN = 3;

export interface ZoneCount {
  readonly ready: number;
  readonly notReady: number;
}

export interface EvictionRates {
  /** Nodes a second. */
  readonly evictionRate: number;
  readonly secondaryEvictionRate: number;
  readonly largeClusterSize: number;
  readonly unhealthyZoneThreshold: number;
}

/** Region and zone; nodes without either are in a zone together. */
export function zoneOf({ metadata: { labels = {} } }: Node): string {
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:${zone}`;
}

export function zoneState({ ready, notReady }: ZoneCount, unhealthyZoneThreshold: number): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  const isPartial = notReady >= LOST_NODES_MIN && notReady / (notReady + ready) >= unhealthyZoneThreshold;
  return isPartial ? 'PartialDisruption' : 'Normal';
}

/** How many nodes of a zone a second may lose their pods. */
export function rateIn(state: ZoneState, nodes: number, rates: EvictionRates): number {
  if (state !== 'PartialDisruption') return rates.evictionRate;
  return nodes > rates.largeClusterSize ? rates.secondaryEvictionRate : 0;
}

/** What a look at all zones changes. */
export interface DisruptionChange {
  /** New rates by zone. */
  readonly rates: ReadonlyMap<string, number>;
  /** Every zone is lost, which was not so before: it is the manager that is cut off, so that no pod is evicted. */
  readonly everywhere: 'begins' | 'ends' | undefined;
}

/** The states of all zones from one look to the next. */
export class ZoneStates {
  private readonly rates: EvictionRates;
  private readonly states = new Map<string, ZoneState>();

  constructor(rates: EvictionRates) {
    this.rates = rates;
  }

  update(counts: ReadonlyMap<string, ZoneCount>): DisruptionChange {
    const next = new Map(
      Array.from(counts, ([zone, count]) => [zone, zoneState(count, this.rates.unhealthyZoneThreshold)] as const),
    );
    for (const zone of this.states.keys()) if (!next.has(zone)) this.states.delete(zone);
    for (const zone of next.keys()) if (!this.states.has(zone)) this.states.set(zone, 'Initial');
    const isEverywhere = allLost(next);
    const wasEverywhere = allLost(this.states);
    if (isEverywhere && wasEverywhere) return { rates: new Map(), everywhere: undefined };
    const changed = Array.from(next).filter(([zone, state]) => wasEverywhere || this.states.get(zone) !== state);
    for (const [zone, state] of next) this.states.set(zone, state);
    if (isEverywhere) return { rates: new Map(Array.from(next.keys(), (zone) => [zone, 0])), everywhere: 'begins' };
    const rates = changed.map(([zone, state]) => {
      const { ready, notReady } = counts.get(zone)!;
      return [zone, rateIn(state, ready + notReady, this.rates)] as const;
    });
    return { rates: new Map(rates), everywhere: wasEverywhere ? 'ends' : undefined };
  }
}

/** Also where there is no zone at all. */
function allLost(states: ReadonlyMap<string, ZoneState>): boolean {
  return [...states.values()].every((state) => state === 'FullDisruption');
}
