import type * as v1 from '../../generated/types/admissionregistration-v1.ts';
import type * as beta from '../../generated/types/admissionregistration-v1beta1.ts';

type Configuration = {
  webhooks?: (v1.ValidatingWebhook | v1.MutatingWebhook | beta.ValidatingWebhook | beta.MutatingWebhook)[];
};

/** v1: webhooks whose failure refuses requests, called for equivalent requests as well. */
export function setWebhookDefaults(configuration: Configuration): void {
  for (const webhook of configuration.webhooks ?? []) {
    webhook.failurePolicy ??= 'Fail';
    webhook.matchPolicy ??= 'Equivalent';
    webhook.timeoutSeconds ??= 10;
    setSharedDefaults(webhook);
  }
}

/** The beta version was more lenient. */
export function setBetaWebhookDefaults(configuration: Configuration): void {
  for (const webhook of configuration.webhooks ?? []) {
    webhook.failurePolicy ??= 'Ignore';
    webhook.matchPolicy ??= 'Exact';
    webhook.timeoutSeconds ??= 30;
    webhook.sideEffects ??= 'Unknown';
    webhook.admissionReviewVersions ??= ['v1beta1'];
    setSharedDefaults(webhook);
  }
}

/** Mutating webhooks alone: how often they are called. */
export function setReinvocationDefaults(configuration: { webhooks?: { reinvocationPolicy?: string }[] }): void {
  for (const webhook of configuration.webhooks ?? []) webhook.reinvocationPolicy ??= 'Never';
}

function setSharedDefaults(webhook: NonNullable<Configuration['webhooks']>[number]): void {
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  for (const rule of webhook.rules ?? []) rule.scope ??= '*';
  if (webhook.clientConfig.service !== undefined) webhook.clientConfig.service.port ??= 443;
}
