import { mutatingWebhookConfigurations } from '../../api/admissionregistration/tokens.ts';
import { stringifyJson } from '../../apimachinery/json/json.ts';
import { internalError } from '../../apimachinery/errors/status-error.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ReviewedObject } from '../webhook/reviewed-object.ts';
import type { WebhookPatch } from '../webhook/verdict.ts';
import { handles } from '../handles.ts';
import type { Match } from '../webhook/webhook-index.ts';
import type { WebhookSettings } from '../plugin-settings.ts';
import { Webhooks, type WebhookParts } from '../webhook/webhooks.ts';
import { Reinvocation } from './reinvocation.ts';

const FAILED_OPEN = 'failed-open.mutation.webhook.admission.k8s.io';
const MUTATION = 'mutation.webhook.admission.k8s.io';
const PATCH = 'patch.webhook.admission.k8s.io';

/**
 * Calls the webhooks of MutatingWebhookConfigurations that match a request, one after another in the order of their
 * configurations' names; each sees the changes of those before it. After a change all plugins run once more.
 */
export function mutatingAdmissionWebhookPlugin(parts: WebhookParts, settings: WebhookSettings): AdmissionPlugin {
  const webhooks = new Webhooks('admit', mutatingWebhookConfigurations, parts, settings);
  const rounds = new WeakMap<AdmissionRequest, Reinvocation>();
  return {
    name: 'MutatingAdmissionWebhook',
    admit: handles(
      (request) => webhooks.areWanting(request),
      async (request) => {
        let reinvocation = rounds.get(request);
        if (reinvocation === undefined) rounds.set(request, (reinvocation = new Reinvocation()));
        else reinvocation.startAgain(request);
        const reviewed = webhooks.reviewed(request);
        let changed = false;
        for (const match of webhooks.wanting(request)) {
          if (!(await webhooks.selects(match, request)) || !reinvocation.wants(match.webhook)) continue;
          if (await askOne(webhooks, match, reviewed, reinvocation)) changed = true;
        }
        reinvocation.ended(request);
        return changed ? 'again' : undefined;
      },
    ),
  };
}

/** True when the webhook changed the object. */
async function askOne(
  webhooks: Webhooks,
  match: Match,
  reviewed: ReviewedObject,
  reinvocation: Reinvocation,
): Promise<boolean> {
  const { webhook, groupVersion, place } = match;
  const { notes, object } = reviewed.request;
  const key = `round_${reinvocation.round}_index_${place}`;
  const about = { configuration: webhook.configuration, webhook: webhook.name };
  let changed = false;
  const apply = async (patch: WebhookPatch): Promise<void> => {
    if (object === undefined)
      throw internalError(
        `admission webhook ${goQuote(webhook.name)} attempted to modify the object, which is not supported for this operation`,
      );
    changed = await reviewed.patch(patch, groupVersion);
    notes.annotate(
      `${PATCH}/${key}`,
      stringifyJson({ ...about, patch: patch.operations, patchType: 'JSONPatch' }),
      'Request',
    );
  };
  const began = performance.now();
  try {
    await webhooks.ask(match, reviewed, apply, () => notes.annotate(`${FAILED_OPEN}/${key}`, webhook.name));
  } finally {
    notes.waitedForWebhook?.(performance.now() - began);
    notes.annotate(`${MUTATION}/${key}`, stringifyJson({ ...about, mutated: changed }));
  }
  reinvocation.asked(webhook, changed);
  return changed;
}
