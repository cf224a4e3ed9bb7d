import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '../../api/admissionregistration/tokens.ts';
import type { Resource } from '../../api/resource.ts';
import type { Scheme } from '../../api/scheme.ts';
import type { JsonPatchApplier } from '../../apimachinery/patch/json-patch-applier.ts';
import { internalError, StatusError } from '../../apimachinery/errors/status-error.ts';
import { followObjects } from '../../authorization/follow-objects.ts';
import type { AdmissionRequest } from '../admission.ts';
import { isFor } from '../handles.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { WebhookSettings } from '../plugin-settings.ts';
import { isTooLate, timeLeftMs, tooLate } from '../time-left.ts';
import { callWebhook } from './call-webhook.ts';
import { FailedCallError } from './failed-call.ts';
import { ReviewedObject } from './reviewed-object.ts';
import { selected } from './selected.ts';
import type { WebhookPatch } from './verdict.ts';
import { WebhookClients } from './webhook-clients.ts';
import { WebhookIndex, type Match, type WebhookConfiguration } from './webhook-index.ts';
import type { WebhookObserver, WebhookRejection, WebhookType } from './webhook-observer.ts';

/** What the plugins of webhooks are made of. */
export type WebhookParts = Pick<PluginContext, 'stores' | 'lookup' | 'applyJsonPatch' | 'onError' | 'webhookObserver'>;

/**
 * The common part of both webhook plugins: follows the configurations of one kind, finds the webhooks of a request, and
 * calls them.
 */
export class Webhooks {
  private readonly type: WebhookType;
  private readonly scheme: Scheme;
  private readonly lookup: ObjectLookup;
  private readonly clients: WebhookClients;
  private readonly index: WebhookIndex;
  private readonly observer: WebhookObserver;
  private readonly applyJsonPatch: JsonPatchApplier;

  /** `resource` is the kind of configuration. */
  constructor(
    type: WebhookType,
    resource: Resource<WebhookConfiguration>,
    parts: WebhookParts,
    settings: WebhookSettings,
  ) {
    const { stores, lookup, onError } = parts;
    const store = stores(resource);
    const report = (error: unknown): void => onError(error, `webhooks of ${resource.resource}`);
    this.type = type;
    this.scheme = store.scheme;
    this.lookup = lookup;
    this.observer = parts.webhookObserver;
    this.applyJsonPatch = parts.applyJsonPatch;
    this.clients = new WebhookClients(
      lookup,
      settings.credentials,
      settings.toEndpoints,
      parts.webhookObserver.webhookCertificates,
    );
    this.index = new WebhookIndex(report, (webhooks) => this.clients.keepOnly(webhooks));
    store.cache.listen(followObjects(this.index, report));
  }

  /** The webhooks whose rules match the request. */
  wanting(request: AdmissionRequest): readonly Match[] {
    return isConfiguration(request) ? [] : this.index.wanting(request);
  }

  /** Whether any webhook's rules match the request. */
  areWanting(request: AdmissionRequest): boolean {
    return this.wanting(request).length > 0;
  }

  /** Whether the webhook's selectors match the request in its present state. */
  selects({ webhook }: Match, request: AdmissionRequest): Promise<boolean> {
    return selected(webhook, request, this.lookup);
  }

  reviewed(request: AdmissionRequest): ReviewedObject {
    return new ReviewedObject(request, this.scheme, this.applyJsonPatch);
  }

  /**
   * Calls a webhook and passes its patch, if any, to `apply`. A failed call is reported to `failedOpen` where the
   * webhook's policy is to ignore it. Throws StatusError to refuse, and 504 where the request timed out.
   */
  async ask(
    match: Match,
    reviewed: ReviewedObject,
    apply: ((patch: WebhookPatch) => Promise<void>) | undefined,
    failedOpen: () => void,
  ): Promise<void> {
    const {
      webhook: { name, ignoresFailures },
    } = match;
    const { type, observer } = this;
    const { operation } = reviewed.request;
    timeLeftMs(reviewed.request);
    const began = performance.now();
    const called = (rejected: boolean, code: number): void =>
      observer.webhookCalled(name, type, operation, rejected, code, (performance.now() - began) / 1000);
    try {
      const patch = await callWebhook(match, reviewed, this.clients, apply !== undefined);
      if (patch !== undefined) await apply?.(patch);
      called(false, 200);
    } catch (error) {
      if (error instanceof FailedCallError && ignoresFailures) {
        called(false, error.code);
        observer.webhookFailedOpen(name, type);
        failedOpen();
        // The call may have failed because there was no more time: then there is none for the rest either.
        timeLeftMs(reviewed.request);
        return;
      }
      const [why, code] = rejectionOf(error);
      called(true, code);
      observer.webhookRejected(name, type, operation, why, code);
      if (!(error instanceof FailedCallError)) throw error;
      // The request's own time was up: that is no failure of the webhook.
      throw isTooLate(reviewed.request) ? tooLate() : internalError(error);
    }
  }
}

function rejectionOf(error: unknown): [WebhookRejection, number] {
  if (error instanceof FailedCallError) return ['calling_webhook_error', error.code];
  return error instanceof StatusError && error.code !== 500
    ? ['no_error', error.code]
    : ['apiserver_internal_error', 500];
}

/** A webhook that broke these could not be repaired through the API. */
function isConfiguration(request: AdmissionRequest): boolean {
  return isFor(request, mutatingWebhookConfigurations) || isFor(request, validatingWebhookConfigurations);
}
