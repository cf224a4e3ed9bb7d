import type { UserInfo } from '../api/resource-definition.ts';
import type { Status } from '../apimachinery/errors/status-error.ts';

/** How much is written down of a request, from nothing to all. */
export const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof LEVELS)[number];

/** The points of a request's life at which an event may be written. */
export const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof STAGES)[number];

/** What the request is about; fields are left out where they are empty. */
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

/** What was answered: the code, and what a Status said besides. */
export type ResponseStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>>;

/**
 * Who asks for what: one object for all events of a request, as long as nothing of it changes, so that its text is made
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
  /** Whether `metadata.managedFields` are still to be taken out of request and response. */
  readonly omitManagedFields: boolean;
  /** Milliseconds of the epoch, with fractions. */
  readonly receivedMs: number;
}

/** One event of one request; plain data, which travels to threads. Never changed once it is made. */
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

/** Says of an event that request and response were left out of it. */
export const TRUNCATED_ANNOTATION = 'audit.k8s.io/truncated';

/** The event without request and response, which says so. */
export function withoutObjects(event: AuditEvent): AuditEvent {
  const annotations = new Map([...(event.annotations ?? []), [TRUNCATED_ANNOTATION, 'true']]);
  return { ...event, requestObject: undefined, responseObject: undefined, annotations };
}

/** Bytes that all of an event but its texts takes, about. */
const EVENT_BYTES = 1024;

/** Memory that an event takes, about, in bytes. */
export function eventSize(event: AuditEvent): number {
  return (
    EVENT_BYTES + event.subject.requestUri.length + (event.responseStatus?.message?.length ?? 0) + objectsSize(event)
  );
}

export function objectsSize({ requestObject, responseObject }: AuditEvent): number {
  return (requestObject?.length ?? 0) + (responseObject?.length ?? 0);
}
