import { deepEqual } from '../../apimachinery/json/deep.ts';
import { validateFullyQualifiedName } from '../../apimachinery/names/domain-names.ts';
import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../apimachinery/errors/field-path.ts';
import { goStringSlice } from '../../apimachinery/values/go-format.ts';
import { validateLabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import { isDns1035Label } from '../../apimachinery/names/names.ts';
import {
  FailurePolicyTypeValues,
  MatchPolicyTypeValues,
  type MutatingWebhook,
  ReinvocationPolicyTypeValues,
  SideEffectClassValues,
  type ValidatingWebhook,
} from '../../generated/types/admissionregistration-v1.ts';
import { validateWebhookClientConfig } from '../validation/webhook-client-config.ts';
import { ADMISSION_V1BETA1 } from './admissionregistration-group.ts';
import { validateMatchConditions } from './match-conditions-validation.ts';
import { validateRule } from './rule-validation.ts';

type Webhook = ValidatingWebhook & Partial<Pick<MutatingWebhook, 'reinvocationPolicy'>>;
type Configuration = { webhooks?: Webhook[] };

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];

/** The requirements of webhooks: fewer through the beta version, and for objects that were stored with fewer. */
interface Requirements {
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  readonly uniqueNames: boolean;
  readonly validSelectorValues: boolean;
  readonly matchConditions: boolean;
}

export function validateWebhooks(configuration: Configuration, requestVersion: string, errors: FieldErrors): void {
  const strict = requestVersion !== ADMISSION_V1BETA1;
  validateAll(
    configuration,
    {
      noSideEffects: strict,
      knownReviewVersion: true,
      uniqueNames: strict,
      validSelectorValues: true,
      matchConditions: true,
    },
    errors,
  );
}

export function validateWebhooksUpdate(configuration: Configuration, old: Configuration, errors: FieldErrors): void {
  const before = old.webhooks ?? [];
  const names = before.map((webhook) => webhook.name);
  const conditions = (webhooks: readonly Webhook[]): unknown =>
    webhooks.map((webhook) => webhook.matchConditions ?? null);
  validateAll(
    configuration,
    {
      noSideEffects: before.every((webhook) => NO_SIDE_EFFECTS.includes(webhook.sideEffects ?? '')),
      knownReviewVersion: before.every(({ admissionReviewVersions }) => {
        return (
          !admissionReviewVersions?.length ||
          admissionReviewVersions.some((version) => REVIEW_VERSIONS.includes(version))
        );
      }),
      uniqueNames: new Set(names).size === names.length,
      validSelectorValues: before.every(hasValidSelectors),
      matchConditions: !deepEqual(conditions(configuration.webhooks ?? []), conditions(before)),
    },
    errors,
  );
}

function validateAll(configuration: Configuration, requirements: Requirements, errors: FieldErrors): void {
  const path = field('webhooks');
  const names = new Set<string>();
  for (const [i, webhook] of (configuration.webhooks ?? []).entries()) {
    validateWebhook(webhook, requirements, path.index(i), errors);
    validateReviewVersions(
      webhook.admissionReviewVersions ?? [],
      requirements,
      path.index(i).child('admissionReviewVersions'),
      errors,
    );
    if (requirements.uniqueNames && webhook.name !== '' && names.has(webhook.name))
      errors.duplicate(path.index(i).child('name'), webhook.name);
    names.add(webhook.name);
  }
}

function validateWebhook(webhook: Webhook, requirements: Requirements, path: FieldPath, errors: FieldErrors): void {
  validateFullyQualifiedName(path.child('name'), webhook.name, errors);
  for (const [i, rule] of (webhook.rules ?? []).entries()) validateRule(rule, path.child('rules').index(i), errors);
  validateChoice(webhook.failurePolicy, FailurePolicyTypeValues, path.child('failurePolicy'), errors);
  validateChoice(webhook.matchPolicy, MatchPolicyTypeValues, path.child('matchPolicy'), errors);
  const sideEffects = requirements.noSideEffects ? NO_SIDE_EFFECTS : SideEffectClassValues;
  if (webhook.sideEffects == null)
    errors.required(path.child('sideEffects'), `must specify one of ${sideEffects.join(', ')}`);
  else validateChoice(webhook.sideEffects, sideEffects, path.child('sideEffects'), errors);
  const timeout = webhook.timeoutSeconds;
  if (timeout !== undefined && (timeout < 1 || timeout > 30)) {
    errors.invalid(path.child('timeoutSeconds'), timeout, 'the timeout value must be between 1 and 30 seconds');
  }
  const rules = { allowInvalidValues: !requirements.validSelectorValues };
  validateLabelSelector(webhook.namespaceSelector, path.child('namespaceSelector'), errors, rules);
  validateLabelSelector(webhook.objectSelector, path.child('objectSelector'), errors, rules);
  validateChoice(webhook.reinvocationPolicy, ReinvocationPolicyTypeValues, path.child('reinvocationPolicy'), errors);
  validateWebhookClientConfig(webhook.clientConfig, path.child('clientConfig'), errors);
  if (requirements.matchConditions)
    validateMatchConditions(webhook.matchConditions ?? [], path.child('matchConditions'), errors);
}

function validateChoice(
  value: string | undefined,
  choices: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (value !== undefined && !choices.includes(value)) errors.notSupported(path, value, choices);
}

function validateReviewVersions(
  versions: readonly string[],
  requirements: Requirements,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (versions.length === 0) return errors.required(path, `must specify one of ${REVIEW_VERSIONS.join(', ')}`);
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) errors.invalid(path.index(i), version, 'duplicate version');
    else for (const problem of isDns1035Label(version)) errors.invalid(path.index(i), version, problem);
    seen.add(version);
  }
  if (requirements.knownReviewVersion && !REVIEW_VERSIONS.some((version) => seen.has(version))) {
    errors.invalid(path, goStringSlice(versions), `must include at least one of ${REVIEW_VERSIONS.join(', ')}`);
  }
}

function hasValidSelectors(webhook: Webhook): boolean {
  const errors = new FieldErrors();
  validateLabelSelector(webhook.namespaceSelector, field('namespaceSelector'), errors);
  validateLabelSelector(webhook.objectSelector, field('objectSelector'), errors);
  return errors.length === 0;
}
