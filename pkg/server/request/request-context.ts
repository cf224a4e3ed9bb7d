import type { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { UserInfo } from '../../api/resource-definition.ts';
import type { AuditedRequest } from '../../audit/audited-request.ts';
import type { AuthorizationAttributes } from '../../authorization/authorizer.ts';
import type { YamlReading } from '../../codec/yaml.ts';
import type { UnreadBody } from '../bodies/unread-body.ts';
import { clientCertificateOf } from './client-certificate.ts';
import type { ConnectionRate } from '../connections/connection-rates.ts';
import type { Classified } from '../flow-control/flow-controller.ts';
import type { Exchange } from './exchange.ts';
import { headersWith, headerValues, removeHeader, removeHeaders, replaceHeader } from './request-headers.ts';
import type { RequestInfo } from './request-info.ts';
import type { RequestPlace } from './request-place.ts';
import { WarningRecorder } from './warning-recorder.ts';

export type RawRequest = IncomingMessage | Http2ServerRequest;
export type RawResponse = ServerResponse | Http2ServerResponse;

/** The properties of a request's body that the listener knows. */
export interface RequestBody {
  readonly unreadBody?: UnreadBody | undefined;
  readonly refusal?: Error | undefined;
}

const noBody = new Uint8Array(0);

/** Anonymous, until authentication has set the user. */
const unknownUser: UserInfo = { name: '', groups: [] };

const NO_WARNINGS: readonly string[] = [];

/** One request on its way through the filters to its handler. */
export class RequestContext {
  /** Where it comes from and its answer goes. */
  readonly exchange: Exchange;
  readonly method: string;
  readonly info: RequestInfo;
  /** The body as sent; empty without one, and until the filter `read-body` has read it. */
  body: Uint8Array = noBody;
  /** Absent where there is none. */
  readonly unreadBody: UnreadBody | undefined;
  /** A large YAML body, read ahead on a thread. */
  yaml: YamlReading | undefined;
  /** Why the request is malformed; answered after authentication. */
  readonly refusal: Error | undefined;
  /** Audit id, the client's or a UUID, also answered as `Audit-Id`. */
  readonly id: string;
  readonly startMs: number;
  /** The deadline on the clock of `performance.now()`; undefined without one. */
  deadlineMs: number | undefined;
  /** When the filter got the request that has it now; see `timed`. */
  filterStartMs = 0;
  /** How long it waited for admission webhooks. */
  webhookMs = 0;
  /** The user as whom the request acts. */
  user: UserInfo = unknownUser;
  /** The authenticated user, where `user` is impersonated. */
  impersonator: UserInfo | undefined;
  /** What it wants to do as `user`; see `requestAttributes`. */
  attributes: AuthorizationAttributes | undefined;
  /** The audit record; absent where it is not audited. */
  audit: AuditedRequest | undefined;
  /** The whole answer is given, and goes out when the turn of the event loop ends. */
  answered = false;
  /** The answer on its way, where it waits for its audit event. */
  heldAnswer: Promise<void> | undefined;
  /** Annotations of the audit event; made when the first is given. */
  annotations: Map<string, string> | undefined;
  /** Its classification by priority and fairness; absent where they do not apply. */
  flow: Classified | undefined;
  /** Its place among the requests that are served at once; absent where it needs none. */
  place: RequestPlace | undefined;
  /** The rate of its streams; absent: unlimited. */
  rate: ConnectionRate | undefined;
  /** Made with the first warning. */
  private recorder: WarningRecorder | undefined;
  /** Status code that was answered, for metrics and audit. */
  status = 0;
  responseBytes = 0;
  /** As in the path, until its first use. */
  private readonly givenQuery: string | URLSearchParams;
  private parsedQuery: URLSearchParams | undefined;

  constructor(
    exchange: Exchange,
    info: RequestInfo,
    query: string | URLSearchParams,
    { unreadBody, refusal }: RequestBody,
    id: string,
    startMs: number,
  ) {
    this.exchange = exchange;
    this.method = exchange.method;
    this.info = info;
    this.givenQuery = query;
    this.unreadBody = unreadBody;
    this.refusal = refusal;
    this.id = id;
    this.startMs = startMs;
  }

  /** Of the connection, for what needs one. Throws 406 for a caller in this process. */
  get request(): RawRequest {
    return this.exchange.request;
  }

  get response(): RawResponse {
    return this.exchange.response;
  }

  get headers(): IncomingHttpHeaders {
    return this.exchange.headers;
  }

  /** It has a body, read by now. */
  get hasBody(): boolean {
    return this.body.length > 0 || this.exchange.document !== undefined;
  }

  get query(): URLSearchParams {
    this.parsedQuery ??= typeof this.givenQuery === 'string' ? new URLSearchParams(this.givenQuery) : this.givenQuery;
    return this.parsedQuery;
  }

  get hasQuery(): boolean {
    return this.givenQuery !== '';
  }

  /** The client is gone, or the answer is complete. */
  get closed(): boolean {
    return this.answered || this.exchange.closed;
  }

  get remoteAddress(): string | undefined {
    return this.exchange.remoteAddress;
  }

  warn(text: string): void {
    this.recorder ??= new WarningRecorder();
    this.recorder.add(text);
  }

  /** Records warnings until no more are taken. */
  warnAll(texts: Iterable<string>): void {
    for (const text of texts) {
      this.warn(text);
      if (this.recorder?.full === true) return;
    }
  }

  /** Texts of `Warning` headers. */
  get warnings(): readonly string[] {
    return this.recorder?.texts ?? NO_WARNINGS;
  }

  /**
   * Adds an annotation to the audit event; the first value of a key stays. With `level`, only where the event is of
   * that level or above.
   */
  annotate(key: string, value: string, level?: 'Request'): void {
    if (level === 'Request' && this.audit?.wantsRequest !== true) return;
    this.annotations ??= new Map();
    if (!this.annotations.has(key)) this.annotations.set(key, value);
  }

  waitedForWebhook(ms: number): void {
    this.webhookMs += ms;
  }

  /** All values of a header, in the order sent. */
  headerValues(name: string): readonly string[] {
    return headerValues(this.exchange, name);
  }

  /** The values of all headers whose lowercase names begin with `prefix`, by these names. */
  headersWith(prefix: string): ReadonlyMap<string, readonly string[]> {
    return headersWith(this.exchange, prefix);
  }

  /** Takes one header out of the request; `name` is lowercase. */
  removeHeader(name: string): void {
    removeHeader(this.exchange, name);
  }

  /** Takes headers out of the request, by lowercase name. */
  removeHeaders(matches: (name: string) => boolean): void {
    removeHeaders(this.exchange, matches);
  }

  /** Puts one header in the place of all of its name, which is lowercase. */
  replaceHeader(name: string, value: string): void {
    replaceHeader(this.exchange, name, value);
  }

  /** The certificate that the connection's client sent, not verified. */
  clientCertificate(): X509Certificate | undefined {
    return clientCertificateOf(this.request);
  }
}

export type Handler = (context: RequestContext) => Promise<void>;
/** Wraps the rest of the chain. */
export type Filter = (next: Handler) => Handler;
