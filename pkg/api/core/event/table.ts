import type { Event } from '../../../generated/types/core-v1.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';

export const eventTable: TableDefinition<Event> = {
  columns: [
    { name: 'Last Seen', type: 'string', description: 'Time since the event was observed last.' },
    { name: 'Type', type: 'string', description: 'Normal or Warning.' },
    { name: 'Reason', type: 'string', description: 'Short word for why it happened.' },
    { name: 'Object', type: 'string', description: 'What it happened to: kind and name.' },
    { name: 'Subobject', type: 'string', priority: 1, description: 'Part of the object that it happened to.' },
    { name: 'Source', type: 'string', priority: 1, description: 'Component that reports it, and where that runs.' },
    { name: 'Message', type: 'string', description: 'What happened, for people.' },
    { name: 'First Seen', type: 'string', priority: 1, description: 'Time since the event was observed first.' },
    { name: 'Count', type: 'string', priority: 1, description: 'How often the event was observed.' },
    { name: 'Name', type: 'string', format: 'name', priority: 1, description: 'Name of the event itself.' },
  ],
  row: (event, nowMs) => {
    const firstSeen = age(event.firstTimestamp ?? event.eventTime, nowMs);
    return {
      cells: [
        lastSeen(event, firstSeen, nowMs),
        event.type ?? '',
        event.reason ?? '',
        target(event),
        event.involvedObject.fieldPath ?? '',
        source(event),
        (event.message ?? '').trim(),
        firstSeen,
        event.series === undefined ? event.count || 1 : (event.series.count ?? 0),
        event.metadata.name ?? '',
      ],
    };
  },
};

function lastSeen({ series, lastTimestamp }: Event, firstSeen: string, nowMs: number): string {
  if (series !== undefined) return age(series.lastObservedTime, nowMs);
  return lastTimestamp === null ? firstSeen : age(lastTimestamp, nowMs);
}

function target({ involvedObject: { kind = '', name } }: Event): string {
  return name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase();
}

function source(event: Event): string {
  const component = event.source.component || event.reportingComponent;
  const instance = event.source.host || event.reportingInstance;
  return instance ? `${component}, ${instance}` : component;
}
