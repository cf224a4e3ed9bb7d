import type { AuthorizationAttributes } from '../authorization/authorizer.ts';
import type { AuditObserver, AuditPlugin } from './audit-observer.ts';
import type { AuditSink } from './audit-backend.ts';
import type { RequestFacts } from './audited-request.ts';
import type { AuditEvent, AuditLevel, EventSubject } from './event.ts';
import { DeprecatedCertificates } from '../webhooks/deprecated-certificates.ts';

/** For tests: a request for a pod. */
export function testSubject(fields: Partial<EventSubject> = {}): EventSubject {
  return {
    level: 'Metadata',
    auditId: 'id-1',
    requestUri: '/api/v1/namespaces/a/pods/p',
    verb: 'get',
    user: { name: 'jo', groups: ['g'] },
    impersonatedUser: undefined,
    sourceIps: ['10.0.0.1'],
    userAgent: 'test/1',
    omitManagedFields: false,
    receivedMs: Date.UTC(2024, 0, 2, 3, 4, 5, 678) + 0.25,
    objectRef: {
      resource: 'pods',
      namespace: 'a',
      name: 'p',
      uid: '',
      apiGroup: '',
      apiVersion: 'v1',
      resourceVersion: '',
      subresource: '',
    },
    ...fields,
  };
}

/** The end of that request. */
export function testEvent(
  subject: Partial<EventSubject> = {},
  fields: Partial<Omit<AuditEvent, 'subject'>> = {},
): AuditEvent {
  return {
    subject: testSubject(subject),
    stage: 'ResponseComplete',
    responseStatus: { code: 200 },
    requestObject: undefined,
    responseObject: undefined,
    stageMs: Date.UTC(2024, 0, 2, 3, 4, 6),
    annotations: undefined,
    ...fields,
  };
}

/** The data at the beginning of a request. */
export function testFacts(fields: Partial<RequestFacts> = {}): RequestFacts {
  return {
    auditId: 'id-1',
    requestUri: '/api/v1/namespaces/a/pods/p',
    verb: 'get',
    sourceIps: ['10.0.0.1'],
    userAgent: 'test/1',
    objectRef: testSubject().objectRef,
    receivedMs: Date.UTC(2024, 0, 2),
    longRunning: false,
    unauthenticated: false,
    ...fields,
  };
}

/** A request of user `jo`: by default a get of a pod. */
export function testAttributes(fields: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes {
  return {
    user: { name: 'jo', groups: ['g'] },
    verb: 'get',
    isResource: true,
    apiGroup: '',
    apiVersion: 'v1',
    resource: 'pods',
    subresource: '',
    namespace: 'a',
    name: 'p',
    path: '/api/v1/namespaces/a/pods/p',
    ...fields,
  };
}

/** Counts its calls. */
export class CountingObserver implements AuditObserver {
  readonly webhookCertificates = new DeprecatedCertificates();
  readonly levels: AuditLevel[] = [];
  readonly lost: Partial<Record<AuditPlugin, number>> = {};
  events = 0;
  rejected = 0;

  levelDecided(level: AuditLevel): void {
    this.levels.push(level);
  }

  eventSent(): void {
    this.events++;
  }

  requestRejected(): void {
    this.rejected++;
  }

  failed(plugin: AuditPlugin, events: number): void {
    this.lost[plugin] = (this.lost[plugin] ?? 0) + events;
  }
}

/** Options of a write that is never ended: no signal, and no deadline. */
export class HungSink implements AuditSink {
  write(): Promise<void> {
    return new Promise(() => undefined);
  }

  hurry(): void {
    // It cannot.
  }

  close(): Promise<void> {
    return new Promise(() => undefined);
  }
}

/** A sink whose writes end when the test says so. */
export class HeldSink implements AuditSink {
  readonly texts: string[] = [];
  readonly open: { done: () => void; fail: (error: Error) => void }[] = [];
  hurried = false;
  closed = false;

  write(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    this.texts.push(Buffer.from(bytes).toString());
    return new Promise((resolve, reject) => {
      this.open.push({ done: resolve, fail: reject });
      signal.addEventListener('abort', () => reject(new Error('ended')));
    });
  }

  hurry(): void {
    this.hurried = true;
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  /** Ids of the events of all writes so far, one list a write. */
  get ids(): string[][] {
    return this.texts.map((text) => [...text.matchAll(/"auditID":"([^"]*)"/g)].map((match) => match[1]!));
  }
}
