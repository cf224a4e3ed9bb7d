import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStringSlice } from '../../../apimachinery/values/go-format.ts';
import { isDns1035Label } from '../../../apimachinery/names/names.ts';
import {
  ConversionStrategyTypeValues,
  type CustomResourceConversion,
} from '../../../generated/types/apiextensions-v1.ts';
import { validateWebhookClientConfig } from '../../validation/webhook-client-config.ts';

export const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const ONLY_FOR_WEBHOOKS = 'should not be set when strategy is not set to Webhook';

/** Error paths are those of the beta version, for all versions: so do stock servers. */
export function validateConversion(
  { strategy, webhook }: CustomResourceConversion,
  knownReviewVersion: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (strategy === '') errors.required(path.child('strategy'));
  else if (!ConversionStrategyTypeValues.includes(strategy))
    errors.notSupported(path.child('strategy'), strategy, ConversionStrategyTypeValues);
  const configPath = path.child('webhookClientConfig');
  const versionsPath = path.child('conversionReviewVersions');
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy !== 'Webhook') {
    if (webhook?.clientConfig !== undefined) errors.forbidden(configPath, ONLY_FOR_WEBHOOKS);
    if (versions.length > 0) errors.forbidden(versionsPath, ONLY_FOR_WEBHOOKS);
    return;
  }
  if (webhook?.clientConfig === undefined) errors.required(configPath, 'required when strategy is set to Webhook');
  else validateWebhookClientConfig(webhook.clientConfig, configPath, errors);
  validateReviewVersions(versions, knownReviewVersion, versionsPath, errors);
}

function validateReviewVersions(
  versions: readonly string[],
  knownRequired: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (versions.length === 0) return errors.required(path);
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) errors.invalid(path.index(i), version, 'duplicate version');
    else for (const problem of isDns1035Label(version)) errors.invalid(path.index(i), version, problem);
    seen.add(version);
  }
  if (knownRequired && !REVIEW_VERSIONS.some((version) => seen.has(version))) {
    errors.invalid(path, goStringSlice(versions), `must include at least one of ${REVIEW_VERSIONS.join(', ')}`);
  }
}
