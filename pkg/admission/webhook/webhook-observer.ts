import type { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';
import type { Operation } from '../admission.ts';

/** The two kinds of webhooks, as metrics name them. */
export type WebhookType = 'admit' | 'validating';

/** Why a request was refused: the webhook could not be called, it denied the request, or its patch failed. */
export type WebhookRejection = 'calling_webhook_error' | 'no_error' | 'apiserver_internal_error';

/** Called with times and results of webhook calls, for metrics. */
export interface WebhookObserver {
  /** `code` is the HTTP code of the result. */
  webhookCalled(
    webhook: string,
    type: WebhookType,
    operation: Operation,
    rejected: boolean,
    code: number,
    seconds: number,
  ): void;
  webhookRejected(webhook: string, type: WebhookType, operation: Operation, why: WebhookRejection, code: number): void;
  /** A call failed, and the request continued. */
  webhookFailedOpen(webhook: string, type: WebhookType): void;
  readonly webhookCertificates: DeprecatedCertificates;
}
