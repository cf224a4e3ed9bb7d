import type { IncomingHttpHeaders } from 'node:http';
import type { UserInfo } from '../../api/resource-definition.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { ListMeta } from '../representation/object-form.ts';
import type { WatchStream } from '../verbs/watch-stream.ts';
import type { RawRequest, RawResponse } from './request-context.ts';

/** Where a request comes from and its answer goes: a connection, or a caller in this process. */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in the order sent. */
  readonly rawHeaders: string[];
  readonly remoteAddress: string | undefined;
  /** The user of the request; undefined where authentication has to find out. */
  readonly user: UserInfo | undefined;
  /** The body that a caller in this process passes; undefined where there is none, or it comes as bytes. */
  readonly document: unknown;
  /** Takes objects as answers; undefined where answers are bytes. */
  readonly local: ObjectReceiver | undefined;
  /** Of the connection. Throws 406 where there is none. */
  readonly request: RawRequest;
  readonly response: RawResponse;
  /** The client is gone, or the answer is complete. */
  readonly closed: boolean;
  /** A part of the answer is out. */
  readonly begun: boolean;
  /** A header of the answer. */
  setHeader(name: string, value: string): void;
  /** Breaks the answer off. */
  destroy(): void;
  /** `listener` is called once, when the client is gone or has its whole answer. */
  onClose(listener: () => void): void;
  offClose(listener: () => void): void;
}

/** Sends one answer. Objects are shared with the cache and must not be changed. */
export interface ObjectReceiver {
  takeWarnings(texts: readonly string[]): void;
  /** An object, or a Status. */
  takeDocument(code: number, document: object): void;
  takeList(items: readonly ApiObject[], meta: ListMeta): void;
  /** What exists as bytes alone. `headers`: names in lower case. */
  takeBytes(code: number, body: readonly Uint8Array[], headers: Readonly<Record<string, string>>): void;
  /** Takes the frames of `localWatchForm`. */
  openWatch(): WatchStream;
}
