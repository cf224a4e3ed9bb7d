/** What a client does, for metrics. Methods are those of HTTP; `host` has its port. */
export interface RequestObserver {
  /** `code` is 0 where no answer came; a watch is reported when its answer begins. */
  requestEnded(method: string, host: string, code: number, seconds: number): void;
  /** Bytes of a request's body. */
  sent?(method: string, host: string, bytes: number): void;
  /** Bytes of an answer that was read to its end, as they were before compression. */
  received?(method: string, host: string, bytes: number): void;
  /** How long the client's own rate held a request back. */
  waited?(method: string, host: string, seconds: number): void;
  /** A request is sent again, since the server answered `code`. */
  retried?(method: string, host: string, code: number): void;
}
