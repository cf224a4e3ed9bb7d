import type { UserInfo } from '../api/resource-definition.ts';
import { stringifyEscaped } from '../apimachinery/json/go-json.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { Status } from '../apimachinery/errors/status-error.ts';
import {
  LEVELS,
  TRUNCATED_ANNOTATION,
  type AuditEvent,
  type AuditStage,
  type EventSubject,
  type ObjectReference,
  type ResponseStatus,
} from './event.ts';
import type { AuditConfig } from './policy/policy-index.ts';

/** What is known of a request from its beginning. */
export interface RequestFacts {
  readonly auditId: string;
  readonly requestUri: string;
  readonly verb: string;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly objectRef: ObjectReference | undefined;
  /** Milliseconds of the epoch, with fractions. */
  readonly receivedMs: number;
  /** A long-running request: the beginning of the answer is a separate event. */
  readonly longRunning: boolean;
  /** The request is not authenticated: its only event is the beginning of the refusal. */
  readonly unauthenticated: boolean;
}

/** What becomes known of a request while it runs. */
export interface RequestProgress {
  readonly user: UserInfo;
  /** The authenticated user, where `user` is impersonated. */
  readonly impersonator: UserInfo | undefined;
  readonly annotations: ReadonlyMap<string, string> | undefined;
}

/** Takes the events of a request; see `AuditBackend`. */
export type EmitEvent = (event: AuditEvent) => Promise<boolean> | undefined;

/** Longer requests or answers, in characters, are left out. */
const OBJECT_LENGTH_MAX = 3 * 1024 * 1024;
const USER_AGENT_LENGTH_MAX = 1024;

/**
 * The audit record of one request while it runs. The first answer counts: answers after a timeout are ignored, unless
 * the server fails.
 */
export class AuditedRequest {
  private readonly facts: RequestFacts;
  private readonly config: AuditConfig;
  private readonly progress: RequestProgress;
  private readonly emit: EmitEvent;
  private readonly now: () => number;
  /** Whether the answer waits for its event. */
  private readonly blocking: boolean;
  private objectRef: ObjectReference | undefined;
  private subject: EventSubject | undefined;
  private requestText: string | undefined;
  private responseText: string | undefined;
  private responseStatus: ResponseStatus | undefined;
  private truncated = false;
  private panicked = false;
  private answered = false;
  private completed = false;

  constructor(
    facts: RequestFacts,
    config: AuditConfig,
    progress: RequestProgress,
    sinks: { readonly emit: EmitEvent; readonly blocking: boolean; readonly now: () => number },
  ) {
    this.facts = facts;
    this.config = config;
    this.progress = progress;
    this.emit = sinks.emit;
    this.blocking = sinks.blocking;
    this.now = sinks.now;
    this.objectRef = facts.objectRef;
  }

  get wantsRequest(): boolean {
    return LEVELS.indexOf(this.config.level) >= LEVELS.indexOf('Request');
  }

  get wantsResponse(): boolean {
    return this.config.level === 'RequestResponse' && !this.answered;
  }

  /** The request was received. False: it must be refused. */
  received(): Promise<boolean> | undefined {
    return this.send('RequestReceived', this.facts.receivedMs);
  }

  /** The object of a write, in the version of the request, before any other processing. */
  requestObject(object: ApiObject): void {
    const { objectRef } = this;
    if (objectRef !== undefined) {
      const { name = '', namespace = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
      this.objectRef = {
        ...objectRef,
        name: objectRef.name || name,
        namespace: objectRef.namespace || namespace,
        uid: objectRef.uid || uid,
        resourceVersion: objectRef.resourceVersion || resourceVersion,
      };
    }
    this.requestDocument(object);
  }

  /** A patch, or options. */
  requestDocument(document: unknown): void {
    if (this.wantsRequest) this.requestText = this.bounded(stringifyEscaped(document));
  }

  /** The answer's document, if it is one. A Status is reported at every level. */
  responseDocument(document: { readonly kind?: string }): void {
    if (this.answered || this.panicked) return;
    if (document.kind === 'Status') {
      const { status, message, reason, details, code } = document as Status;
      this.responseStatus = { status, message, reason, details, code };
    }
    if (this.wantsResponse) this.responseText = this.bounded(stringifyEscaped(document));
  }

  /** The answer as JSON that is encoded already. */
  responseJson(json: Uint8Array): void {
    if (!this.wantsResponse) return;
    if (json.length > OBJECT_LENGTH_MAX) this.truncated = true;
    else this.responseText = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8').trimEnd();
  }

  /** The answer is too large to be audited. */
  responseTooLarge(): void {
    this.truncated = true;
  }

  /** The server failed: the answer is 500, or breaks off. */
  panic(error: unknown): void {
    if (this.completed) return;
    this.panicked = true;
    // Its message may quote the request.
    this.responseStatus = {
      status: 'Failure',
      reason: 'InternalError',
      message: `APIServer panic'd: ${error instanceof Error ? error.name : typeof error}`,
      code: 500,
    };
  }

  /** The answer is about to be sent. Where it must wait for its event, it is sent when the promise resolves. */
  answering(code: number): Promise<boolean> | undefined {
    if (this.answered) return undefined;
    this.answered = true;
    this.responseStatus = { ...this.responseStatus, code };
    if ((this.facts.longRunning || this.facts.unauthenticated) && !this.panicked)
      return this.send('ResponseStarted', this.now());
    return this.blocking ? this.complete() : undefined;
  }

  /** The request is finished. `code`: of the answer; 0 where the client left before it. */
  finished(code: number): Promise<boolean> | undefined {
    if (this.completed || this.facts.unauthenticated) return undefined;
    if (!this.answered && !this.panicked) {
      this.responseStatus =
        code === 0
          ? { status: 'Success', message: 'Connection closed early', code: 200 }
          : { ...this.responseStatus, code };
      // Long-running requests have an event of every stage. Nothing waits for this one: the answer is over.
      if (this.facts.longRunning) void this.send('ResponseStarted', this.now());
    }
    return this.complete();
  }

  private complete(): Promise<boolean> | undefined {
    this.completed = true;
    return this.send(this.panicked ? 'Panic' : 'ResponseComplete', this.now());
  }

  private bounded(text: string): string | undefined {
    if (text.length <= OBJECT_LENGTH_MAX) return text;
    this.truncated = true;
    return undefined;
  }

  private send(stage: AuditStage, stageMs: number): Promise<boolean> | undefined {
    if (this.config.omitStages.has(stage)) return undefined;
    return this.emit({
      subject: this.currentSubject(),
      stage,
      responseStatus: this.responseStatus,
      requestObject: this.requestText,
      responseObject: this.responseText,
      stageMs,
      annotations: this.annotations(),
    });
  }

  /** The subject as known by now: that of the event before, unless impersonation or the name in the body changed it. */
  private currentSubject(): EventSubject {
    const {
      facts,
      config,
      progress: { user, impersonator },
      objectRef,
      subject,
    } = this;
    const sender = impersonator ?? user;
    const impersonatedUser = impersonator === undefined ? undefined : user;
    if (
      subject !== undefined &&
      subject.user === sender &&
      subject.impersonatedUser === impersonatedUser &&
      subject.objectRef === objectRef
    )
      return subject;
    return (this.subject = {
      level: config.level,
      auditId: facts.auditId,
      requestUri: facts.requestUri,
      verb: facts.verb,
      user: sender,
      impersonatedUser,
      sourceIps: facts.sourceIps,
      userAgent: shownAgent(facts.userAgent),
      objectRef,
      omitManagedFields: config.omitManagedFields,
      receivedMs: facts.receivedMs,
    });
  }

  /** A copy: more may be added. */
  private annotations(): ReadonlyMap<string, string> | undefined {
    const { annotations } = this.progress;
    if (!this.truncated) return annotations === undefined || this.completed ? annotations : new Map(annotations);
    return new Map([...(annotations ?? []), [TRUNCATED_ANNOTATION, 'true']]);
  }
}

function shownAgent(agent: string): string {
  return agent.length <= USER_AGENT_LENGTH_MAX ? agent : `${agent.slice(0, USER_AGENT_LENGTH_MAX)}...TRUNCATED`;
}
