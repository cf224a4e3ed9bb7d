import type { IncomingHttpHeaders } from 'node:http';
import type { UserInfo } from '../../api/resource-definition.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { notAcceptable } from '../../apimachinery/errors/status-error.ts';
import { ConnectionError } from '../../client/rest/client.ts';
import type { ListMeta } from '../representation/object-form.ts';
import type { Exchange, ObjectReceiver } from '../request/exchange.ts';
import type { WatchStream } from '../verbs/watch-stream.ts';
import { LocalWatchSink } from './local-watch-sink.ts';

/** A caller's request. */
export interface LocalCall {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly user: UserInfo;
  /** The body. Handlers copy the parts that they keep. */
  readonly document?: unknown;
}

export type LocalAnswer =
  | { readonly kind: 'document'; readonly code: number; readonly document: object }
  | { readonly kind: 'list'; readonly items: readonly ApiObject[]; readonly meta: ListMeta }
  | {
      readonly kind: 'bytes';
      readonly code: number;
      readonly body: readonly Uint8Array[];
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'watch'; readonly sink: LocalWatchSink };

/** One call of this process on its way through the filters, without a connection. */
export class LocalExchange implements Exchange, ObjectReceiver {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];
  readonly user: UserInfo;
  readonly document: unknown;
  readonly remoteAddress = '127.0.0.1';
  /** Rejects with the reason of `abort`, or with `ConnectionError` where there is no answer. */
  readonly answer: Promise<LocalAnswer>;
  private settle!: (answer: LocalAnswer) => void;
  private fail!: (reason: unknown) => void;
  private readonly onWarnings: ((texts: readonly string[]) => void) | undefined;
  private sink: LocalWatchSink | undefined;
  private isClosed = false;
  private listeners: (() => void)[] = [];

  constructor(call: LocalCall, onWarnings?: (texts: readonly string[]) => void) {
    this.method = call.method;
    this.url = call.url;
    this.headers = call.headers;
    this.rawHeaders = Object.entries(call.headers).flatMap(([name, value]) =>
      [value ?? []].flat().flatMap((each) => [name, each]),
    );
    this.user = call.user;
    this.document = call.document;
    this.onWarnings = onWarnings;
    this.answer = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
  }

  get local(): ObjectReceiver {
    return this;
  }

  get request(): never {
    throw needsConnection();
  }

  get response(): never {
    throw needsConnection();
  }

  get closed(): boolean {
    return this.isClosed;
  }

  get begun(): boolean {
    return this.sink !== undefined;
  }

  /** What every answer has is for connections; an answer's own headers come with it. */
  setHeader(): void {}

  takeWarnings(texts: readonly string[]): void {
    this.onWarnings?.(texts);
  }

  takeDocument(code: number, document: object): void {
    this.take({ kind: 'document', code, document });
  }

  takeList(items: readonly ApiObject[], meta: ListMeta): void {
    this.take({ kind: 'list', items, meta });
  }

  takeBytes(code: number, body: readonly Uint8Array[], headers: Readonly<Record<string, string>>): void {
    this.take({ kind: 'bytes', code, body, headers });
  }

  openWatch(): WatchStream {
    const sink = new LocalWatchSink();
    this.sink = sink;
    this.settle({ kind: 'watch', sink });
    return { sink, closed: sink.over.then(() => this.close()), destroy: () => this.destroy() };
  }

  destroy(): void {
    this.abort(new ConnectionError(`${this.method} ${this.url} broke off`));
  }

  /** The caller is gone: pending results reject with `reason`, and a watch ends. */
  abort(reason: unknown): void {
    if (this.isClosed) return;
    this.fail(reason);
    this.sink?.abort(reason);
    this.close();
  }

  /** The chain has finished the request. */
  finish(): void {
    if (this.sink === undefined) this.abort(new ConnectionError(`${this.method} ${this.url} was not answered`));
    else this.close();
  }

  onClose(listener: () => void): void {
    this.listeners.push(listener);
  }

  offClose(listener: () => void): void {
    this.listeners = this.listeners.filter((each) => each !== listener);
  }

  private take(answer: LocalAnswer): void {
    this.settle(answer);
    this.close();
  }

  private close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const { listeners } = this;
    this.listeners = [];
    for (const listener of listeners) listener();
  }
}

function needsConnection(): Error {
  return notAcceptable('this path is a stream, which is served over HTTPS alone');
}
