import { systemClock, type Clock } from '../../apimachinery/clock.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import { events } from '../../api/core/tokens.ts';
import type { Event } from '../../generated/types/core-v1.ts';
import type { Client } from '../rest/client.ts';
import { EventAggregator } from './event-aggregator.ts';
import { EventCounts } from './event-counts.ts';
import { EventDelivery } from './event-delivery.ts';
import { EventNames } from './event-names.ts';
import {
  namespaceOfEvent,
  referenceTo,
  type EventRecorder,
  type EventSource,
  type EventSubject,
  type NewEvent,
} from './event-recorder.ts';
import { SpamFilter } from './spam-filter.ts';

export interface EventRecorderOptions {
  readonly client: Client;
  readonly source: EventSource;
  readonly clock?: Clock;
  /** From 0 up to, and without, 1. */
  readonly random?: () => number;
  /** Events that are lost; recording goes on. */
  readonly onError: (error: unknown) => void;
}

/**
 * Records events of the core group, as most controllers do: equal ones are counted, like ones combined, and what is
 * too much about one object is left out.
 */
export class CoreEventRecorder implements EventRecorder {
  private readonly source: EventSource;
  private readonly clock: Clock;
  private readonly names: EventNames;
  private readonly aggregator: EventAggregator;
  private readonly counts = new EventCounts();
  private readonly filter: SpamFilter;
  private readonly delivery: EventDelivery<Event>;

  constructor({ client, source, clock = systemClock, random = Math.random, onError }: EventRecorderOptions) {
    this.source = source;
    this.clock = clock;
    this.names = new EventNames(clock);
    this.aggregator = new EventAggregator(clock);
    this.filter = new SpamFilter(clock);
    this.delivery = new EventDelivery({ client, resource: events, clock, random, onError });
  }

  event(regarding: EventSubject, event: NewEvent): void {
    try {
      const made = this.make(regarding, event);
      const { event: aggregated, key } = this.aggregator.aggregate(made, () =>
        this.names.next(made.involvedObject.name),
      );
      const delivery = this.counts.count(aggregated, key);
      // Last: what is left out counts all the same, and shows when the next one is written.
      if (this.filter.admits(delivery.event)) this.delivery.send(delivery);
    } catch (error) {
      this.delivery.report(error);
    }
  }

  flush(): Promise<void> {
    return this.delivery.flush();
  }

  stop(): Promise<void> {
    return this.delivery.stop();
  }

  private make(regarding: EventSubject, { type, reason, note, related, annotations }: NewEvent): Event {
    const { component, instance = '' } = this.source;
    const involvedObject = referenceTo(regarding);
    const now = formatTime(new Date(this.clock.wallMs()));
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: this.names.next(involvedObject.name),
        namespace: namespaceOfEvent(involvedObject),
        ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      },
      involvedObject,
      ...(related === undefined ? {} : { related: referenceTo(related) }),
      reason,
      message: note,
      source: instance === '' ? { component } : { component, host: instance },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: instance,
    };
  }
}
