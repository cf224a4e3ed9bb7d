import type { ZoneShares } from './zone-shares.ts';

/** How much more than its share of the requests one endpoint may get. */
const OVERLOAD_MAX = 0.2;

/** Endpoints by zone. */
export type ZoneCounts = Map<string, number>;

export interface Allocation {
  readonly minimum: number;
  readonly desired: number;
  readonly maximum: number;
}

/** How many of the endpoints are to serve each zone; a text says why there is no such division. */
export function allocationsOf(
  shares: ZoneShares | undefined,
  endpoints: number,
): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined)
    return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
  const counts = `(${endpoints} endpoints, ${shares.size} zones)`;
  if (shares.size > endpoints) return `Insufficient number of endpoints ${counts}`;
  const minimums = Array.from(shares, ([zone, share]) => [zone, share, minimumOf(share * endpoints)] as const);
  const sum = minimums.reduce((total, [, , minimum]) => total + minimum, 0);
  if (sum > endpoints)
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`;
  return new Map(
    minimums.map(([zone, share, minimum]) => [
      zone,
      { minimum, desired: Math.max(share * endpoints, minimum), maximum: minimum + endpoints - sum },
    ]),
  );
}

/** Whether a zone has so few of the endpoints that each would get too much. */
export function isOverloaded(counts: ZoneCounts, shares: ZoneShares | undefined): boolean {
  if (counts.size === 0) return false;
  if (shares === undefined) return true;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...shares].some(([zone, share]) => (counts.get(zone) ?? -1) < minimumOf(total * share));
}

/** How many endpoints of other zones are to serve a zone, and which zones they come from. */
export interface ZoneMoves {
  readonly giving: ZoneCounts;
  readonly receiving: ZoneCounts;
}

/** One endpoint at a time goes from the zone that has most too many to the one that lacks most. */
export function zoneMoves(allocations: ReadonlyMap<string, Allocation>, counts: ZoneCounts): ZoneMoves {
  const surplus = new Map<string, number>();
  const lack = new Map<string, number>();
  for (const [zone, { desired }] of allocations) {
    const difference = (counts.get(zone) ?? 0) - desired;
    if (difference > 0) surplus.set(zone, difference);
    if (difference < 0) lack.set(zone, -difference);
  }
  const [giving, receiving] = [new Map<string, number>(), new Map<string, number>()];
  for (;;) {
    const [from, give] = most(surplus);
    const [to, take] = most(lack);
    if (give < 0.5 || take < 0.5 || (give < 1 && take < 1)) return { giving, receiving };
    add(giving, from, 1);
    add(receiving, to, 1);
    add(surplus, from, -1);
    add(lack, to, -1);
  }
}

export function add(counts: ZoneCounts, zone: string, count: number): void {
  counts.set(zone, (counts.get(zone) ?? 0) + count);
}

function minimumOf(desired: number): number {
  return Math.ceil(desired * (1 / (1 + OVERLOAD_MAX)));
}

/** The first zone by name of those that have most. */
function most(counts: ReadonlyMap<string, number>): readonly [zone: string, count: number] {
  let found: readonly [string, number] = ['', 0];
  for (const [zone, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (count > found[1]) found = [zone, count];
  return found;
}
