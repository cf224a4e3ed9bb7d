import type { Event, EventSeries } from '../../../generated/types/core-v1.ts';
import type { Event as GroupEvent } from '../../../generated/types/events-v1.ts';
import type { Event as GroupEventV1beta1 } from '../../../generated/types/events-v1beta1.ts';

/**
 * The group events.k8s.io has other names for the same fields: `note` is `message`, `regarding` is `involvedObject`,
 * and fields that only old clients write have the prefix `deprecated`. One field has no place in its version v1: the
 * state of a series, which old clients wrote and nothing reads; it is lost when an event is rewritten through that
 * version.
 */

type AnyGroupEvent = GroupEvent | GroupEventV1beta1;

export function eventToHub(event: AnyGroupEvent): Event {
  return withoutAbsent({
    kind: event.kind,
    apiVersion: event.apiVersion,
    metadata: event.metadata,
    involvedObject: event.regarding,
    reason: event.reason,
    message: event.note,
    source: event.deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp,
    lastTimestamp: event.deprecatedLastTimestamp,
    count: event.deprecatedCount,
    type: event.type,
    eventTime: event.eventTime,
    series: event.series === undefined ? undefined : seriesToHub(event.series),
    action: event.action,
    related: event.related,
    reportingComponent: event.reportingController ?? '',
    reportingInstance: event.reportingInstance ?? '',
  });
}

function seriesToHub(series: { count: number; lastObservedTime: string | null; state?: string }): EventSeries {
  return withoutAbsent({
    count: series.count || undefined,
    lastObservedTime: series.lastObservedTime,
    state: series.state || undefined,
  });
}

export function eventFromHub(event: Event): GroupEvent {
  const { series } = event;
  return fromHub(
    event,
    series === undefined ? undefined : { count: series.count ?? 0, lastObservedTime: series.lastObservedTime },
  );
}

export function eventV1beta1FromHub(event: Event): GroupEventV1beta1 {
  const { series } = event;
  return fromHub(
    event,
    series === undefined
      ? undefined
      : {
          count: series.count ?? 0,
          lastObservedTime: series.lastObservedTime,
          ...(series.state ? { state: series.state } : {}),
        },
  );
}

function fromHub<S>(event: Event, series: S | undefined): Omit<GroupEvent, 'series'> & { series?: S } {
  return withoutAbsent({
    kind: event.kind,
    apiVersion: event.apiVersion,
    metadata: event.metadata,
    eventTime: event.eventTime,
    series,
    reportingController: event.reportingComponent || undefined,
    reportingInstance: event.reportingInstance || undefined,
    action: event.action,
    reason: event.reason,
    regarding: event.involvedObject,
    related: event.related,
    note: event.message,
    type: event.type,
    deprecatedSource: event.source,
    deprecatedFirstTimestamp: event.firstTimestamp,
    deprecatedLastTimestamp: event.lastTimestamp,
    deprecatedCount: event.count,
  });
}

function withoutAbsent<T extends object>(fields: T): T {
  for (const name of Object.keys(fields) as (keyof T)[]) if (fields[name] === undefined) delete fields[name];
  return fields;
}
