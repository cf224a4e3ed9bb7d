import { objectsSize, withoutObjects, type AuditEvent } from '../event.ts';
import type { EventFormat } from './event-format.ts';
import { EventJson } from './event-json.ts';
import { eventLine, requestLines } from './event-line.ts';
import { PartWriter, type BatchPart, type PartFrame } from './part-writer.ts';

/** How large events and batches may become, bytes. */
export interface TruncationLimits {
  readonly batchBytesMax: number;
  readonly eventBytesMax: number;
}

/** Events to be made into bytes; plain data. */
export interface EventBatch {
  readonly events: readonly AuditEvent[];
  readonly format: EventFormat;
  /** Absent: events stay whole. */
  readonly truncate?: TruncationLimits;
  /** Bytes beyond which a new part begins; an event is never divided. */
  readonly partBytesMax: number;
}

export interface SerializedBatch {
  readonly parts: readonly BatchPart[];
  /** Events too large even without request and response. */
  readonly dropped: number;
}

const lines: PartFrame = { opening: '', separator: '\n', closing: '\n' };

/** Serializes a batch for a sink. Pure; runs on a thread when the batch is large. */
export function serializeBatch({ events, format, truncate, partBytesMax }: EventBatch): SerializedBatch {
  const { batchBytesMax = Number.POSITIVE_INFINITY, eventBytesMax = Number.POSITIVE_INFINITY } = truncate ?? {};
  const writer = new PartWriter(frameOf(format), Math.min(partBytesMax, batchBytesMax));
  const textOf = writerOf(format);
  let dropped = 0;
  for (const event of events) {
    if (writer.add(textOf(event), eventBytesMax)) continue;
    if (objectsSize(event) === 0 || !writer.add(textOf(withoutObjects(event)), eventBytesMax)) dropped++;
  }
  return { parts: writer.finish(), dropped };
}

function writerOf(format: EventFormat): (event: AuditEvent) => string {
  switch (format.kind) {
    case 'lines':
    case 'list': {
      const json = new EventJson(format.version, format.kind === 'lines');
      return (event) => json.text(event);
    }
    case 'legacy':
      return eventLine;
    case 'request-lines':
      return requestLines;
  }
}

function frameOf(format: EventFormat): PartFrame {
  return format.kind === 'list'
    ? {
        opening: `{"kind":"EventList","apiVersion":"${format.version}","metadata":{},"items":[`,
        separator: ',',
        closing: ']}\n',
      }
    : lines;
}
