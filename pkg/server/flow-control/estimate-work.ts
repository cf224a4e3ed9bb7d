import type { RequestInfo } from '../request/request-info.ts';
import { isReadOnly } from '../request/request-kind.ts';
import { oneSeat, type WorkEstimate } from './work.ts';

/** The estimates of stock servers. */
const SEATS_MAX = 10;
const OBJECTS_A_SEAT = 100;
const WATCHERS_A_SEAT = 10;
/**
 * Time that deliveries to the watchers of one seat take, seconds: 5 to 8 µs each in docs/performance.md, with a margin.
 * Stock servers count 5 ms, with which one writer of objects with a thousand watchers would hold every seat of its
 * level while this server is idle.
 */
const SECONDS_A_SEAT = 0.0002;

const unwatchedWrite: WorkEstimate = { ...oneSeat, watchers: 0 };

/** The size of a resource. */
export interface ResourceSizes {
  objectsOf(group: string, resource: string): number;
  /** The watchers that get a write in the namespace. */
  watchersOf(group: string, resource: string, namespace: string): number;
}

export interface EstimatedRequest {
  readonly info: RequestInfo;
  /** Parsed on first use. */
  readonly query: URLSearchParams;
}

/**
 * Seats by the work of a request: a list takes one for each hundred objects that are visited, a watch with initial
 * objects the same, a write those of notifying its watchers after it is done. The query is read where it matters.
 */
export function estimateWork(request: EstimatedRequest, sizes: ResourceSizes): WorkEstimate {
  const { info } = request;
  if (!info.isResource) return oneSeat;
  if (info.verb === 'list') return listWork(info, request.query, sizes);
  if (info.verb === 'watch')
    return startsWithState(request.query) ? seatsFor(sizes.objectsOf(info.group, info.resource)) : oneSeat;
  if (isReadOnly(info) || info.verb === '' || info.verb === 'proxy') return oneSeat;
  // Tokens have no watchers.
  if (info.resource === 'serviceaccounts' && info.subresource === 'token') return oneSeat;
  const watchers = sizes.watchersOf(info.group, info.resource, info.namespace);
  if (watchers === 0) return unwatchedWrite;
  const neededSeats = Math.ceil(watchers / WATCHERS_A_SEAT);
  const finalSeats = Math.min(SEATS_MAX, neededSeats);
  // More watchers than the maximum of seats take longer.
  return { seats: 1, finalSeats, finalSeconds: (SECONDS_A_SEAT * neededSeats) / finalSeats, watchers };
}

/** A limit saves the encoding of objects, not the search for those that a selector matches. */
function listWork({ group, resource, name }: RequestInfo, query: URLSearchParams, sizes: ResourceSizes): WorkEstimate {
  if (name !== '' || query.get('fieldSelector')?.includes('metadata.name=') === true) return oneSeat;
  const stored = sizes.objectsOf(group, resource);
  const limit = Number(query.get('limit') ?? 0);
  const selects = (query.get('labelSelector') ?? '') !== '' || (query.get('fieldSelector') ?? '') !== '';
  return seatsFor(limit > 0 && limit < stored && !selects ? limit : stored);
}

function startsWithState(query: URLSearchParams): boolean {
  const revision = query.get('resourceVersion') ?? '';
  return (
    query.get('sendInitialEvents') === 'true' ||
    ((revision === '' || revision === '0') && query.get('sendInitialEvents') !== 'false')
  );
}

const bySeats: readonly WorkEstimate[] = Array.from({ length: SEATS_MAX + 1 }, (_, seats) => ({ ...oneSeat, seats }));

function seatsFor(objects: number): WorkEstimate {
  return bySeats[Math.min(SEATS_MAX, Math.max(1, Math.ceil(objects / OBJECTS_A_SEAT)))]!;
}
