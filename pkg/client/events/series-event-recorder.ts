import { hostname } from 'node:os';
import { systemClock, type Clock } from '../../apimachinery/clock.ts';
import { formatMicroTime } from '../../apimachinery/values/time.ts';
import type { Resource } from '../../api/resource.ts';
import type { Event } from '../../generated/types/events-v1.ts';
import type { EventRecorderOptions } from './core-event-recorder.ts';
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
import { EventSeriesCache } from './event-series-cache.ts';

const groupEvents: Resource<Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  resource: 'events',
  kind: 'Event',
  namespaced: true,
};

/** Longer notes are refused. */
const NOTE_MAX = 1024;

/**
 * Records events of the group `events.k8s.io`, as schedulers do: an event that repeats becomes a series, written
 * again every half an hour and at its end.
 */
export class SeriesEventRecorder implements EventRecorder {
  private readonly source: EventSource;
  private readonly clock: Clock;
  private readonly names: EventNames;
  private readonly delivery: EventDelivery<Event>;
  private readonly series: EventSeriesCache;

  constructor({ client, source, clock = systemClock, random = Math.random, onError }: EventRecorderOptions) {
    this.source = source;
    this.clock = clock;
    this.names = new EventNames(clock);
    this.delivery = new EventDelivery({ client, resource: groupEvents, clock, random, onError });
    this.series = new EventSeriesCache(clock, (event) => this.delivery.send(event));
  }

  event(regarding: EventSubject, event: NewEvent): void {
    try {
      this.series.add(this.make(regarding, event));
    } catch (error) {
      this.delivery.report(error);
    }
  }

  flush(): Promise<void> {
    return this.delivery.flush();
  }

  stop(): Promise<void> {
    this.series.stop();
    return this.delivery.stop();
  }

  private make(
    regarding: EventSubject,
    { type, reason, action = reason, note, related, annotations }: NewEvent,
  ): Event {
    const { component, instance = `${component}-${hostname()}` } = this.source;
    const reference = referenceTo(regarding);
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: {
        name: this.names.next(reference.name),
        namespace: namespaceOfEvent(reference),
        ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      },
      eventTime: formatMicroTime(new Date(this.clock.wallMs())),
      reportingController: component,
      reportingInstance: instance,
      action,
      reason,
      regarding: reference,
      ...(related === undefined ? {} : { related: referenceTo(related) }),
      note: note.length > NOTE_MAX ? `${note.slice(0, NOTE_MAX - 3)}...` : note,
      type,
      deprecatedSource: {},
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
    };
  }
}
