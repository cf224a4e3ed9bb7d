import { BoundedCache } from '../../apimachinery/collections/bounded-cache.ts';
import type { Clock } from '../../apimachinery/clock.ts';
import type { Event } from '../../generated/types/core-v1.ts';

const SIMILAR_MAX = 10;
const INTERVAL_MS = 600_000;
const CACHE_MAX = 4096;
const COMBINED = '(combined from similar events): ';

interface Similar {
  readonly messages: Set<string>;
  lastMs: number;
}

/**
 * Takes events together that say the like about one object: the tenth message of a kind within ten minutes, and each
 * further one, become one event.
 */
export class EventAggregator {
  private readonly clock: Clock;
  private readonly groups = new BoundedCache<Similar>(CACHE_MAX);

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The event to write under a key of those that count as one; `rename` gives a combined event its own name. */
  aggregate(event: Event, rename: () => string): { readonly event: Event; readonly key: string } {
    const groupKey = groupKeyOf(event);
    const nowMs = this.clock.steadyMs();
    let group = this.groups.get(groupKey);
    if (group === undefined || nowMs - group.lastMs > INTERVAL_MS) group = { messages: new Set(), lastMs: nowMs };
    group.lastMs = nowMs;
    // No more than decide: a new message takes the place of an older one.
    group.messages.add(event.message ?? '');
    this.groups.set(groupKey, group);
    if (group.messages.size < SIMILAR_MAX) return { event, key: `${groupKey}${JSON.stringify(event.message)}` };
    group.messages.delete(group.messages.values().next().value!);
    return { event: combined(event, rename()), key: groupKey };
  }
}

function combined(event: Event, name: string): Event {
  return {
    ...event,
    metadata: { name, namespace: event.metadata.namespace },
    message: COMBINED + event.message,
    reportingComponent: '',
    reportingInstance: '',
  };
}

/** All that is said but the message. */
function groupKeyOf(event: Event): string {
  const { source, involvedObject: object, type, reason } = event;
  return JSON.stringify([
    source.component,
    source.host,
    object.kind,
    object.namespace,
    object.name,
    object.uid,
    object.apiVersion,
    object.fieldPath,
    type,
    reason,
  ]);
}
