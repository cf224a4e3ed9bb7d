import { labelSelectorAsSelector, type LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type {
  MutatingWebhook,
  ValidatingWebhook,
  WebhookClientConfig,
} from '../../generated/types/admissionregistration-v1.ts';
import { compileRule, type Rule } from './rule.ts';

/** One webhook of a configuration, compiled once for all requests. */
export interface Webhook {
  /** Configuration and place in it: the same for as long as the configuration keeps it. */
  readonly id: string;
  readonly configuration: string;
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules: readonly Rule[];
  /** False: requests in other versions of a rule's resource count as well. */
  readonly exact: boolean;
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  /** A call that fails is ignored. */
  readonly ignoresFailures: boolean;
  readonly timeoutMs: number;
  /** Dry runs may be shown to it. */
  readonly takesDryRuns: boolean;
  /** Of AdmissionReview; undefined where it knows none that this server knows. */
  readonly reviewVersion: ReviewVersion | undefined;
  /** Called again when the object changed after it was called. */
  readonly reinvoked: boolean;
}

export type ReviewVersion = 'v1' | 'v1beta1';

const DEFAULT_TIMEOUT_SECONDS = 10;

/** Throws Error for selectors that validation would refuse. */
export function compileWebhook(
  configuration: string,
  place: number,
  source: ValidatingWebhook & Partial<Pick<MutatingWebhook, 'reinvocationPolicy'>>,
): Webhook {
  const { name, clientConfig, rules = [], sideEffects = '' } = source;
  return {
    id: `${configuration}/${name}/${place}`,
    configuration,
    name,
    clientConfig,
    rules: rules.map(compileRule),
    exact: source.matchPolicy === 'Exact',
    namespaceSelector: labelSelectorAsSelector(source.namespaceSelector ?? {}),
    objectSelector: labelSelectorAsSelector(source.objectSelector ?? {}),
    ignoresFailures: source.failurePolicy === 'Ignore',
    timeoutMs: (source.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    takesDryRuns: sideEffects === 'None' || sideEffects === 'NoneOnDryRun',
    reviewVersion: (source.admissionReviewVersions ?? []).find(
      (version): version is ReviewVersion => version === 'v1' || version === 'v1beta1',
    ),
    reinvoked: source.reinvocationPolicy === 'IfNeeded',
  };
}
