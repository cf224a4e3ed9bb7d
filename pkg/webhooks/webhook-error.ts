export interface WebhookFailure {
  /** Code of an answer that was no success. */
  readonly status?: number;
  /**
   * A retry may succeed, by the rules of stock servers: after a reset connection, 429, 5xx other than 503, or any
   * answer that requests a pause.
   */
  readonly retryable?: boolean;
  /** The requested pause. */
  readonly retryAfterMs?: number;
  /** Why there was no connection, as the runtime's code, and its address, as far as they are known. */
  readonly network?: NetworkFailure;
}

export interface NetworkFailure {
  readonly code: string;
  /** `192.0.2.1:443` */
  readonly address?: string;
}

/** A call without a usable answer. The message names the service and the error, and no credential. */
export class WebhookError extends Error {
  readonly status: number | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly network: NetworkFailure | undefined;

  constructor(service: string, problem: string, failure: WebhookFailure = {}) {
    super(`${service}: ${problem}`);
    this.name = 'WebhookError';
    this.status = failure.status;
    this.retryable = failure.retryable === true;
    this.retryAfterMs = failure.retryAfterMs;
    this.network = failure.network;
  }
}
