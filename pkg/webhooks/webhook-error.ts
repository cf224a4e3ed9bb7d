export interface WebhookFailure {
  /** Code of an answer that was no success. */
  readonly status?: number;
  /**
   * Another attempt may do better, in the view of stock servers: after a reset connection, 429, 5xx other than 503, or
   * any answer that asks for a pause.
   */
  readonly retryable?: boolean;
  /** The pause that the service asked for. */
  readonly retryAfterMs?: number;
  /** Why there was no connection, in the runtime's code, and where to, as far as it is known. */
  readonly network?: NetworkFailure;
}

export interface NetworkFailure {
  readonly code: string;
  /** `192.0.2.1:443` */
  readonly address?: string;
}

/** A call that brought no usable answer. The message names the service and what went wrong, and no credential. */
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
