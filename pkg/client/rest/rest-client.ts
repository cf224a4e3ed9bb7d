import { setTimeout as sleep } from 'node:timers/promises';
import { groupVersionOf, type Resource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { ClusterConfig } from '../cluster-config.ts';
import { answerBytes, discardAnswer } from './answer-bytes.ts';
import type { BodyCodec } from './body-codec.ts';
import { CallScope } from './call-scope.ts';
import {
  type CallOptions,
  type Client,
  ConnectionError,
  type DeleteOptions,
  type DocumentOptions,
  type ListOptions,
  type ObjectList,
  type ObjectName,
  type PatchType,
  type Selection,
  type SubresourceCall,
  type TaggedDocument,
  type Watch,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from './client.ts';
import { asCallError, failureOf } from './failure.ts';
import type { HttpAnswer } from './http-transport.ts';
import { jsonCodec } from './json-codec.ts';
import { hasProtobufForm, protobufCodec } from './protobuf-codec.ts';
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
} from './request-path.ts';
import type { RequestObserver } from './request-observer.ts';
import { type Pause, RequestRate } from './request-rate.ts';
import { RequestSender } from './request-sender.ts';
import { logWarningsOnce, type WarningHandler } from './warnings.ts';
import { watchEvents } from './watch-events.ts';

export interface RestClientOptions {
  /** Of bodies and answers, where the resource has a protobuf message. Default `json`. */
  readonly encoding?: 'json' | 'protobuf';
  /** Default `http/1.1`: each watch takes a connection. */
  readonly protocol?: 'http/1.1' | 'h2';
  /** Requests per second, after `burst` at once. Default: no limit of this client's own. */
  readonly qps?: number;
  /** Default: `qps`, at least 1. */
  readonly burst?: number;
  readonly userAgent?: string;
  /** Until the whole answer is there, pauses included; for watches until it begins. 0: no bound. Default 70 s. */
  readonly timeoutMs?: number;
  /** Largest event of a watch that is taken. Default 16 MiB. */
  readonly frameBytesMax?: number;
  /** Called right before a request that may write is sent, each time; where it throws the request is not sent. */
  readonly beforeWrite?: () => void;
  readonly observer?: RequestObserver;
  /** Takes the texts of warnings. Default: each is a warning of the process, once. */
  readonly onWarning?: WarningHandler;
  /** For tests. */
  readonly pause?: Pause;
  readonly nowMs?: () => number;
}

/** Beyond the minute that servers give themselves. */
const TIMEOUT_MS = 70_000;
const FRAME_BYTES_MAX = 16 << 20;
/** Largest answer that is taken: one that a string can hold. */
const ANSWER_BYTES_MAX = 500 << 20;

const NOT_MODIFIED = 304;
const AS_METADATA = ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_TYPES = {
  json: `${jsonCodec.contentType}${AS_METADATA}`,
  protobuf: `${protobufCodec.contentType}${AS_METADATA},${jsonCodec.contentType}${AS_METADATA}`,
} as const;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly accept: string;
  readonly ifNoneMatch?: string | undefined;
  readonly body?: Uint8Array;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

/** The object API over HTTPS, as the user of a cluster-config. */
export class RestClient implements Client {
  private readonly sender: RequestSender;
  private readonly options: RestClientOptions;
  private readonly timeoutMs: number;
  private readonly host: string;

  constructor(config: ClusterConfig, options: RestClientOptions = {}) {
    const { qps, burst, observer, protocol = 'http/1.1', userAgent = 'binnacle', nowMs } = options;
    const { pause = sleepUnlessAborted, onWarning = logWarningsOnce() } = options;
    const rate = qps === undefined ? undefined : new RequestRate(qps, burst ?? Math.max(1, qps), pause);
    this.sender = new RequestSender({ config, protocol, userAgent, rate, observer, onWarning, pause, nowMs });
    this.host = config.server.host;
    this.options = options;
    this.timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  async get<T extends ApiObject>(resource: Resource<T>, name: ObjectName, options: CallOptions = {}): Promise<T> {
    return this.object<T>({
      method: 'GET',
      path: objectPath(resource, name),
      accept: this.acceptOf(resource),
      signal: options.signal,
    });
  }

  async list<T extends ApiObject>(
    resource: Resource<T>,
    options: ListOptions & CallOptions = {},
  ): Promise<ObjectList<T>> {
    const path = withQuery(collectionPath(resource, options.namespace), listParameters(options));
    const call = { method: 'GET', path, accept: this.acceptOf(resource), signal: options.signal };
    const { metadata, items } = await this.call(call, (body, codec) => codec.decodeList(body, resource));
    const { resourceVersion = '', continue: next = '' } = metadata;
    return { resourceVersion, ...(next === '' ? {} : { continue: next }), items };
  }

  watch<T extends ApiObject>(resource: Resource<T>, options: WatchOptions & CallOptions = {}): Watch<T> {
    const path = withQuery(collectionPath(resource, options.namespace), watchParameters(options));
    return { [Symbol.asyncIterator]: () => this.events<T>(path, this.acceptOf(resource), options.signal) };
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
    return this.object<T>({
      method: 'PATCH',
      path: patchPath(resource, name, options),
      accept: this.acceptOf(resource),
      body: jsonCodec.encode(patch as object),
      contentType: patchContentTypes[type],
      signal: options.signal,
    });
  }

  async delete<T extends ApiObject>(
    resource: Resource<T>,
    name: ObjectName,
    options: DeleteOptions & CallOptions = {},
  ): Promise<void> {
    await this.discard(objectPath(resource, name), options);
  }

  async deleteCollection<T extends ApiObject>(
    resource: Resource<T>,
    selection: Selection,
    options: DeleteOptions & CallOptions = {},
  ): Promise<void> {
    await this.discard(withQuery(collectionPath(resource, selection.namespace), listParameters(selection)), options);
  }

  async subresource<R>(
    resource: Resource,
    name: ObjectName,
    subresource: string,
    call: SubresourceCall,
    options: CallOptions = {},
  ): Promise<R> {
    const target = { method: call.method, path: objectPath(resource, name, subresource), signal: options.signal };
    const accept = this.acceptOf(resource);
    if (call.method === 'GET') return this.object<R>({ ...target, accept });
    const { apiVersion = '', kind = '' } = call.body as Partial<ApiObject>;
    const codec = this.codecFor(apiVersion, kind);
    return this.object<R>({ ...target, accept, body: codec.encode(call.body), contentType: codec.contentType });
  }

  async getPath<R>(path: string, options: CallOptions = {}): Promise<R> {
    return this.object<R>({ method: 'GET', path, accept: jsonCodec.contentType, signal: options.signal });
  }

  async getDocument<R>(
    path: string,
    { accept = jsonCodec.contentType, ifNoneMatch, signal }: DocumentOptions = {},
  ): Promise<TaggedDocument<R> | undefined> {
    const call = { method: 'GET', path, accept, ifNoneMatch, signal };
    return this.exchange(call, async (answer) => {
      if (answer.status === NOT_MODIFIED) {
        await discardAnswer(answer.body);
        return undefined;
      }
      const body = await this.decoded(call, answer, (bytes, codec) => codec.decode<R>(bytes));
      const { etag } = answer.headers;
      return etag === undefined ? { body } : { body, etag };
    });
  }

  /** Ends all connections; calls in flight fail. */
  close(): void {
    this.sender.close();
  }

  private write<T extends ApiObject>(
    method: 'POST' | 'PUT',
    path: string,
    resource: Resource<T>,
    object: T,
    options: CallOptions,
  ): Promise<T> {
    const apiVersion = groupVersionOf(resource);
    const codec = this.codecFor(apiVersion, resource.kind);
    return this.object<T>({
      method,
      path,
      accept: this.acceptOf(resource),
      body: codec.encode({ ...object, apiVersion, kind: resource.kind }),
      contentType: codec.contentType,
      signal: options.signal,
    });
  }

  private object<R>(call: Call): Promise<R> {
    return this.call(call, (body, codec) => codec.decode<R>(body));
  }

  private async discard(path: string, options: DeleteOptions & CallOptions): Promise<void> {
    const body = jsonCodec.encode(deleteDocument(options));
    const call = {
      method: 'DELETE',
      path,
      accept: jsonCodec.contentType,
      body,
      contentType: jsonCodec.contentType,
      signal: options.signal,
    };
    await this.exchange(call, ({ body: answer }) => discardAnswer(answer));
  }

  private call<R>(call: Call, decode: (body: Buffer, codec: BodyCodec) => R): Promise<R> {
    return this.exchange(call, (answer) => this.decoded(call, answer, decode));
  }

  private async decoded<R>(
    { method, path }: Call,
    answer: HttpAnswer,
    decode: (body: Buffer, codec: BodyCodec) => R,
  ): Promise<R> {
    const codec = codecOf(answer);
    if (codec === undefined) throw new ConnectionError(`${method} ${path}: the answer is no object`);
    const bytes = await answerBytes(answer.body, ANSWER_BYTES_MAX);
    this.options.observer?.received?.(method, this.host, bytes.length);
    try {
      return decode(bytes, codec);
    } catch (error) {
      throw new ConnectionError(`${method} ${path}: the answer cannot be read`, { cause: error });
    }
  }

  /** One request and what its answer gives. Rejects with the caller's reason, `StatusError` or `ConnectionError`. */
  private async exchange<R>(call: Call, take: (answer: HttpAnswer) => Promise<R>): Promise<R> {
    const scope = new CallScope(call.signal, this.timeoutMs);
    try {
      return await take(await this.send(call, scope, false));
    } catch (error) {
      scope.signal.throwIfAborted();
      throw asCallError(error, call.method, call.path);
    } finally {
      scope.end();
    }
  }

  /** A successful answer. */
  private async send(call: Call, { signal }: CallScope, lasts: boolean): Promise<HttpAnswer> {
    const { method, path, body, accept, contentType, ifNoneMatch } = call;
    const { beforeWrite } = this.options;
    const headers = {
      accept,
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    };
    const answer = await this.sender.send({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(method === 'GET' || beforeWrite === undefined ? {} : { beforeSend: beforeWrite }),
      lasts,
      signal,
    });
    if (answer.status >= 200 && answer.status <= 299) return answer;
    if (answer.status === NOT_MODIFIED && ifNoneMatch !== undefined) return answer;
    throw failureOf(answer.status, await answerBytes(answer.body, ANSWER_BYTES_MAX), codecOf(answer));
  }

  private async *events<T extends ApiObject>(
    path: string,
    accept: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<WatchEvent<T>, void> {
    if (signal?.aborted === true) return;
    const scope = new CallScope(signal, this.timeoutMs);
    try {
      const answer = await this.send({ method: 'GET', path, accept }, scope, true);
      scope.stopTimer();
      const codec = codecOf(answer);
      if (codec === undefined) throw new ConnectionError(`GET ${path}: the answer is no watch`);
      yield* watchEvents<T>(answer.body, codec, this.options.frameBytesMax ?? FRAME_BYTES_MAX);
    } catch (error) {
      if (scope.isEndedByCaller) return;
      scope.signal.throwIfAborted();
      throw asCallError(error, 'GET', path);
    } finally {
      scope.end();
    }
  }

  private codecFor(apiVersion: string, kind: string): BodyCodec {
    return this.options.encoding === 'protobuf' && hasProtobufForm(apiVersion, kind) ? protobufCodec : jsonCodec;
  }

  private acceptOf(resource: Resource): string {
    if (resource.metadataOnly === true) return METADATA_TYPES[this.options.encoding ?? 'json'];
    const { contentType } = this.codecFor(groupVersionOf(resource), resource.kind);
    return contentType === jsonCodec.contentType ? contentType : `${contentType},${jsonCodec.contentType}`;
  }
}

function codecOf({ headers }: HttpAnswer): BodyCodec | undefined {
  const type = headers['content-type'] ?? '';
  if (type.startsWith(protobufCodec.contentType)) return protobufCodec;
  return type.startsWith(jsonCodec.contentType) ? jsonCodec : undefined;
}

/** Rejects with the signal's reason when that is aborted. */
async function sleepUnlessAborted(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(delayMs, undefined, { signal });
  } catch (error) {
    // The runtime's own error says only that it was aborted.
    throw signal.reason ?? error;
  }
}
