import { validatingWebhookConfigurations } from '../../api/admissionregistration/tokens.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { handles } from '../handles.ts';
import type { Match } from '../webhook/webhook-index.ts';
import type { WebhookSettings } from '../plugin-settings.ts';
import { Webhooks, type WebhookParts } from '../webhook/webhooks.ts';

const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io/round_0_index_';

/** Asks all webhooks of ValidatingWebhookConfigurations that want a request at once; any of them can refuse it. */
export function validatingAdmissionWebhookPlugin(parts: WebhookParts, settings: WebhookSettings): AdmissionPlugin {
  const webhooks = new Webhooks('validating', validatingWebhookConfigurations, parts, settings);
  return {
    name: 'ValidatingAdmissionWebhook',
    validate: handles(
      (request) => webhooks.areWanting(request),
      async (request) => {
        const matches: Match[] = [];
        for (const match of webhooks.wanting(request)) if (await webhooks.selects(match, request)) matches.push(match);
        const reviewed = webhooks.reviewed(request);
        const began = performance.now();
        const outcomes = await Promise.allSettled(
          matches.map((match, i) => {
            return webhooks.ask(match, reviewed, undefined, () =>
              request.notes.annotate(`${FAILED_OPEN}${i}`, match.webhook.name),
            );
          }),
        );
        request.notes.waitedForWebhook?.(performance.now() - began);
        for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
      },
    ),
  };
}
