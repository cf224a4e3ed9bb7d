import type { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';
import type { Operation } from '../admission.ts';

/** The two kinds of webhooks, as metrics name them. */
export type WebhookType = 'admit' | 'validating';

/** Why a request was refused: the webhook could not be asked, it said no, or the server could not do what it said. */
export type WebhookRejection = 'calling_webhook_error' | 'no_error' | 'apiserver_internal_error';

/** Told what calls of webhooks take and come to, for metrics. */
export interface WebhookObserver {
  /** `code` is the HTTP code that stands for the outcome. */
  webhookCalled(
    webhook: string,
    type: WebhookType,
    operation: Operation,
    rejected: boolean,
    code: number,
    seconds: number,
  ): void;
  webhookRejected(webhook: string, type: WebhookType, operation: Operation, why: WebhookRejection, code: number): void;
  /** A call failed, and the request went on. */
  webhookFailedOpen(webhook: string, type: WebhookType): void;
  readonly webhookCertificates: DeprecatedCertificates;
}
