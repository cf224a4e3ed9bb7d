import type { UserInfo } from '../api/resource-definition.ts';
import type { Status } from '../apimachinery/errors/status-error.ts';

/** How much of a request is recorded, from nothing to all. */
export const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof LEVELS)[number];

/** The stages of a request at which an event may be written. */
export const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof STAGES)[number];

/** The object of the request; empty fields are left out. */
export interface ObjectReference {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly subresource: string;
}

/** The code of the answer, and the other fields of a Status. */
export type ResponseStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>>;

/**
 * User and object of a request: one object for all its events, as long as it does not change, so that its text is made
 * once.
 */
export interface EventSubject {
  readonly level: AuditLevel;
  readonly auditId: string;
  /** Path and query as sent. */
  readonly requestUri: string;
  readonly verb: string;
  readonly user: UserInfo;
  readonly impersonatedUser: UserInfo | undefined;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly objectRef: ObjectReference | undefined;
  /** Whether `metadata.managedFields` are still to be removed from request and response. */
  readonly omitManagedFields: boolean;
  /** Milliseconds of the epoch, with fractions. */
  readonly receivedMs: number;
}

/** One event of one request; plain data, which is passed to threads. Immutable. */
export interface AuditEvent {
  readonly subject: EventSubject;
  readonly stage: AuditStage;
  readonly responseStatus: ResponseStatus | undefined;
  /** JSON text on one line, in the version of the request. */
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  /** Milliseconds of the epoch, with fractions. */
  readonly stageMs: number;
  readonly annotations: ReadonlyMap<string, string> | undefined;
}

/** Marks an event from which request and response were left out. */
export const TRUNCATED_ANNOTATION = 'audit.k8s.io/truncated';

/** The event without request and response, marked as such. */
export function withoutObjects(event: AuditEvent): AuditEvent {
  const annotations = new Map([...(event.annotations ?? []), [TRUNCATED_ANNOTATION, 'true']]);
  return { ...event, requestObject: undefined, responseObject: undefined, annotations };
}

/** Approximate bytes of an event without its texts. */
const EVENT_BYTES = 1024;

/** Approximate memory of an event, bytes. */
export function eventSize(event: AuditEvent): number {
  return (
    EVENT_BYTES + event.subject.requestUri.length + (event.responseStatus?.message?.length ?? 0) + objectsSize(event)
  );
}

export function objectsSize({ requestObject, responseObject }: AuditEvent): number {
  return (requestObject?.length ?? 0) + (responseObject?.length ?? 0);
}
