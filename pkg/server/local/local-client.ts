import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UserInfo } from '../../api/resource-definition.ts';
import { groupVersionOf, type Resource } from '../../api/resource.ts';
import { backgroundWork } from '../../apimachinery/background-work.ts';
import { StatusError, type Status } from '../../apimachinery/errors/status-error.ts';
import { parseJson } from '../../apimachinery/json/json.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { withAuthenticatedGroup } from '../../authentication/union/authenticated-group.ts';
import type {
  CallOptions,
  Client,
  DeleteOptions,
  DocumentOptions,
  ListOptions,
  ObjectList,
  ObjectName,
  PatchType,
  Selection,
  SubresourceCall,
  TaggedDocument,
  Watch,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../../client/rest/client.ts';
import { failureOf } from '../../client/rest/failure.ts';
import { shownAll, shownBy } from '../../client/rest/partial-metadata.ts';
import {
  collectionPath,
  createPath,
  deleteDocument,
  listParameters,
  objectPath,
  patchContentTypes,
  patchPath,
  updatePath,
  watchParameters,
  withQuery,
} from '../../client/rest/request-path.ts';
import type { Exchange } from '../request/exchange.ts';
import { LocalExchange, type LocalAnswer, type LocalCall } from './local-exchange.ts';

export interface LocalClientOptions {
  /** The program in audit events and metrics. */
  readonly userAgent?: string;
  /** Called with the texts of warnings. */
  readonly onWarning?: (text: string) => void;
  /** Called with each object before its caller gets it; tests freeze it. */
  readonly onAnswer?: (object: object) => void;
}

/** Attempts of a call that is answered 429 with `Retry-After`, as in the HTTPS client. */
const ATTEMPTS_MAX = 10;

type Sent = Pick<LocalCall, 'method' | 'url' | 'document'> & {
  readonly contentType?: string;
  readonly accept?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
};
type Taken = Exclude<LocalAnswer, { kind: 'watch' }>;

/**
 * The object API without a connection: each call passes the filters and handlers of this process's server as `user`,
 * see docs/decisions/0018-in-process-requests.md.
 */
export class LocalClient implements Client {
  private readonly user: UserInfo;
  private readonly serve: (exchange: Exchange) => Promise<void>;
  private readonly options: LocalClientOptions;
  private readonly userAgent: string;

  constructor(user: UserInfo, serve: (exchange: Exchange) => Promise<void>, options: LocalClientOptions = {}) {
    this.user = withAuthenticatedGroup(user);
    this.serve = serve;
    this.options = options;
    this.userAgent = options.userAgent ?? 'binnacle/in-process';
  }

  async get<T extends ApiObject>(resource: Resource<T>, name: ObjectName, options: CallOptions = {}): Promise<T> {
    return shownBy(resource, await this.object<T>({ method: 'GET', url: objectPath(resource, name) }, options));
  }

  async list<T extends ApiObject>(
    resource: Resource<T>,
    options: ListOptions & CallOptions = {},
  ): Promise<ObjectList<T>> {
    const url = withQuery(collectionPath(resource, options.namespace), listParameters(options));
    const answer = await this.call({ method: 'GET', url }, options);
    if (answer.kind !== 'list') throw new Error(`${url} answered no list`);
    const { items, meta } = answer;
    for (const item of items) this.options.onAnswer?.(item);
    return {
      resourceVersion: meta.resourceVersion ?? '',
      ...(meta.continue === undefined ? {} : { continue: meta.continue }),
      items: shownAll(resource, items as readonly T[]),
    };
  }

  watch<T extends ApiObject>(resource: Resource<T>, options: WatchOptions & CallOptions = {}): Watch<T> {
    const url = withQuery(collectionPath(resource, options.namespace), watchParameters(options));
    return { [Symbol.asyncIterator]: () => this.events(resource, url, options.signal) };
  }

  async create<T extends ApiObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions & CallOptions = {},
  ): Promise<T> {
    return this.write('POST', createPath(resource, object, options), resource, object, options);
  }

  async update<T extends ApiObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions & CallOptions = {},
  ): Promise<T> {
    return this.write('PUT', updatePath(resource, object, options), resource, object, options);
  }

  async patch<T extends ApiObject>(
    resource: Resource<T>,
    name: ObjectName,
    type: PatchType,
    patch: unknown,
    options: WriteOptions & CallOptions = {},
  ): Promise<T> {
    const url = patchPath(resource, name, options);
    const sent = { method: 'PATCH', url, document: patch, contentType: patchContentTypes[type] };
    return shownBy(resource, await this.object<T>(sent, options));
  }

  async delete<T extends ApiObject>(
    resource: Resource<T>,
    name: ObjectName,
    options: DeleteOptions & CallOptions = {},
  ): Promise<void> {
    await this.call({ method: 'DELETE', url: objectPath(resource, name), document: deleteDocument(options) }, options);
  }

  async deleteCollection<T extends ApiObject>(
    resource: Resource<T>,
    selection: Selection,
    options: DeleteOptions & CallOptions = {},
  ): Promise<void> {
    const url = withQuery(collectionPath(resource, selection.namespace), listParameters(selection));
    await this.call({ method: 'DELETE', url, document: deleteDocument(options) }, options);
  }

  async subresource<R>(
    resource: Resource,
    name: ObjectName,
    subresource: string,
    call: SubresourceCall,
    options: CallOptions = {},
  ): Promise<R> {
    const document = call.method === 'GET' ? undefined : call.body;
    return this.object({ method: call.method, url: objectPath(resource, name, subresource), document }, options);
  }

  async getPath<R>(path: string, options: CallOptions = {}): Promise<R> {
    return this.object({ method: 'GET', url: path }, options);
  }

  async getDocument<R>(
    path: string,
    { accept, ifNoneMatch, ...options }: DocumentOptions = {},
  ): Promise<TaggedDocument<R> | undefined> {
    const answer = await this.call({ method: 'GET', url: path, accept, ifNoneMatch }, options);
    if (answer.kind === 'bytes' && answer.code === 304) return undefined;
    const body = this.objectOf<R>(answer);
    const etag = answer.kind === 'bytes' ? answer.headers['etag'] : undefined;
    return etag === undefined ? { body } : { body, etag };
  }

  private async object<R>(sent: Sent, options: CallOptions): Promise<R> {
    return this.objectOf(await this.call(sent, options));
  }

  private objectOf<R>(answer: Taken): R {
    if (answer.kind === 'list') return { kind: 'List', metadata: answer.meta, items: answer.items } as R;
    const object = answer.kind === 'bytes' ? parseJson(Buffer.concat(answer.body)) : answer.document;
    this.options.onAnswer?.(object as object);
    return object as R;
  }

  private write<T extends ApiObject>(
    method: 'POST' | 'PUT',
    url: string,
    resource: Resource<T>,
    object: T,
    options: CallOptions,
  ): Promise<T> {
    const document = { ...object, apiVersion: groupVersionOf(resource), kind: resource.kind };
    return this.object({ method, url, document }, options);
  }

  private async call(sent: Sent, { signal }: CallOptions): Promise<Taken> {
    const { answer } = await this.send(sent, signal);
    if (answer.kind === 'watch') throw new Error(`${sent.url} answered a watch`);
    return answer;
  }

  /** Throws `StatusError` for refusals. An answer of 429 with a pause is retried. */
  private async send(
    sent: Sent,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly exchange: LocalExchange; readonly answer: LocalAnswer }> {
    for (let attempt = 1; ; attempt++) {
      const turn = backgroundWork.begin();
      if (turn !== undefined) await turn;
      const exchange = this.begin(sent, signal);
      const answer = await exchange.answer;
      const refused = refusalOf(answer);
      if (refused === undefined) return { exchange, answer };
      if (refused.retryAfterMs === undefined || attempt === ATTEMPTS_MAX) throw refused.error;
      await pause(refused.retryAfterMs, signal);
    }
  }

  private async *events<T extends ApiObject>(
    resource: Resource<T>,
    url: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<WatchEvent<T>> {
    const isEnded = (): boolean => signal?.aborted === true;
    if (isEnded()) return;
    let exchange: LocalExchange | undefined;
    try {
      const sent = await this.send({ method: 'GET', url }, signal);
      ({ exchange } = sent);
      const { answer } = sent;
      if (answer.kind !== 'watch') throw new Error(`${url} answered no watch`);
      for (let frame = await answer.sink.next(); frame !== undefined; frame = await answer.sink.next()) {
        if (frame.status !== undefined) throw new StatusError(frame.status);
        const event = frame.event as WatchEvent<T>;
        if (event.type !== 'BOOKMARK') this.options.onAnswer?.(event.object);
        yield event.type === 'BOOKMARK' || resource.metadataOnly !== true
          ? event
          : { ...event, object: shownBy(resource, event.object) };
      }
    } catch (error) {
      // A caller that ends a watch expects its end.
      if (!isEnded()) throw error;
    } finally {
      exchange?.abort(new Error('the caller has ended the watch'));
    }
  }

  /** Throws the signal's reason where it is aborted already. */
  private begin({ method, url, document, ...sent }: Sent, signal: AbortSignal | undefined): LocalExchange {
    signal?.throwIfAborted();
    const { onWarning } = this.options;
    const headers = {
      'user-agent': this.userAgent,
      ...(sent.contentType === undefined ? {} : { 'content-type': sent.contentType }),
      ...(sent.accept === undefined ? {} : { accept: sent.accept }),
      ...(sent.ifNoneMatch === undefined ? {} : { 'if-none-match': sent.ifNoneMatch }),
    };
    const exchange = new LocalExchange(
      { method, url, headers, document, user: this.user },
      onWarning === undefined ? undefined : (texts) => texts.forEach((text) => onWarning(text)),
    );
    if (signal !== undefined) {
      const abort = (): void => exchange.abort(signal.reason);
      // One signal may end many calls; the runtime reports more than ten listeners as a leak.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', abort);
      exchange.onClose(() => signal.removeEventListener('abort', abort));
    }
    // A watch that is already abandoned may be refused.
    exchange.answer.catch(() => undefined);
    void this.serve(exchange).then(() => exchange.finish());
    return exchange;
  }
}

/** The error of an answer, and when to retry; undefined where it is none. */
function refusalOf(
  answer: LocalAnswer,
): { readonly error: StatusError; readonly retryAfterMs: number | undefined } | undefined {
  if (answer.kind === 'list' || answer.kind === 'watch' || answer.code < 400) return undefined;
  const error =
    answer.kind === 'document'
      ? new StatusError(answer.document as Status)
      : failureOf(answer.code, Buffer.concat(answer.body), undefined);
  const seconds =
    answer.kind === 'document'
      ? (error.status.details?.retryAfterSeconds ?? 0)
      : Number(answer.headers['retry-after'] ?? 0);
  return { error, retryAfterMs: answer.code === 429 && seconds > 0 ? seconds * 1000 : undefined };
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
