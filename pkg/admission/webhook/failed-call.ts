import { goQuote } from '../../apimachinery/values/go-format.ts';
import { WebhookError } from '../../webhooks/webhook-error.ts';

/** A webhook that could not be called, or whose answer is unusable: its failure policy decides about the request. */
export class FailedCallError extends Error {
  /** HTTP code for metrics. */
  readonly code: number;

  constructor(webhook: string, reason: string, code: number) {
    super(`failed calling webhook ${goQuote(webhook)}: ${reason}`);
    this.name = 'FailedCallError';
    this.code = code;
  }
}

/**
 * Failures of calls, in the words of API clients. Response bodies are not shown: clients of this server may not see
 * into its network.
 */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  403: 'unknown',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports: unknown',
  409: 'the server reported a conflict',
  410: 'the resource you requested is no longer available',
  415: 'the server was not able to decode the request',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

const NETWORK_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'EOF',
  ENOTFOUND: 'no such host',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_SIGNATURE_FAILURE: 'x509: certificate signed by unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'x509: certificate signed by unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'x509: certificate signed by unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'x509: certificate signed by unknown authority',
};

/** There was no connection at all. */
const NOT_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'];

/** The failure of a call of `url`. */
export function failedCall(webhook: string, url: string, error: unknown): FailedCallError {
  if (error instanceof WebhookError && error.status !== undefined)
    return new FailedCallError(webhook, `failed to call webhook: ${statusText(error.status)}`, error.status);
  return new FailedCallError(webhook, `failed to call webhook: Post ${goQuote(url)}: ${networkText(error)}`, 400);
}

function statusText(status: number): string {
  const known = STATUS_TEXTS[status];
  if (known !== undefined) return known;
  return status >= 500
    ? 'an error on the server ("unknown") has prevented the request from succeeding'
    : `the server responded with the status code ${status} but did not return more information`;
}

function networkText(error: unknown): string {
  const { message, name } = error as Error;
  if (name === 'TimeoutError') return 'context deadline exceeded';
  if (!(error instanceof WebhookError)) return message;
  const { code = '', address } = error.network ?? {};
  const text = NETWORK_TEXTS[code] ?? message.slice(message.indexOf(': ') + 2);
  if (!NOT_CONNECTED.includes(code)) return text;
  return address === undefined ? `dial tcp: ${text}` : `dial tcp ${address}: ${text}`;
}
