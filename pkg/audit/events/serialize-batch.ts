import { withoutObjects, type AuditEvent } from '../event.ts';
import type { AuditVersion, EventFormat } from './event-format.ts';
import { eventJson } from './event-json.ts';
import { eventLine, requestLines } from './event-line.ts';

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
  /** Bytes from which a new part is begun; an event is never divided. */
  readonly partBytesMax: number;
}

/** What is written or sent at once. */
export interface BatchPart {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly events: number;
}

export interface SerializedBatch {
  readonly parts: readonly BatchPart[];
  /** Events too large even without request and response. */
  readonly dropped: number;
}

/** Makes a batch into the bytes that a sink takes. Pure; runs on a thread when the batch is large. */
export function serializeBatch({ events, format, truncate, partBytesMax }: EventBatch): SerializedBatch {
  const bytesMax = Math.min(partBytesMax, truncate?.batchBytesMax ?? partBytesMax);
  const parts: BatchPart[] = [];
  let texts: string[] = [];
  let bytes = 0;
  let dropped = 0;
  const finish = (): void => {
    if (texts.length > 0) parts.push({ bytes: ownBytes(framed(texts, format)), events: texts.length });
    texts = [];
    bytes = 0;
  };
  for (const event of events) {
    const text = boundedText(event, format, truncate?.eventBytesMax ?? Number.POSITIVE_INFINITY);
    if (text === undefined) {
      dropped++;
      continue;
    }
    const size = Buffer.byteLength(text) + 1;
    if (bytes + size > bytesMax) finish();
    texts.push(text);
    bytes += size;
  }
  finish();
  return { parts, dropped };
}

/** The event's text, if need be without its objects; undefined where it is too large all the same. */
function boundedText(event: AuditEvent, format: EventFormat, bytesMax: number): string | undefined {
  const whole = textOf(event, format);
  if (fits(whole, bytesMax)) return whole;
  if (event.requestObject === undefined && event.responseObject === undefined) return undefined;
  const bare = textOf(withoutObjects(event), format);
  return fits(bare, bytesMax) ? bare : undefined;
}

function fits(text: string, bytesMax: number): boolean {
  // No character takes more than three bytes.
  return text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax;
}

function textOf(event: AuditEvent, format: EventFormat): string {
  switch (format.kind) {
    case 'lines': return eventJson(event, format.version, true);
    case 'list': return eventJson(event, format.version, false);
    case 'legacy': return eventLine(event);
    case 'request-lines': return requestLines(event);
  }
}

function framed(texts: readonly string[], format: EventFormat): string {
  return format.kind === 'list' ? eventList(texts, format.version) : `${texts.join('\n')}\n`;
}

function eventList(items: readonly string[], version: AuditVersion): string {
  return `{"kind":"EventList","apiVersion":"${version}","metadata":{},"items":[${items.join(',')}]}\n`;
}

/** In memory of its own, so that it can move between threads. */
function ownBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}
