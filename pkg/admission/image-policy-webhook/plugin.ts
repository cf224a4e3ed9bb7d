import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import { stringifyJson } from '../../apimachinery/json/json.ts';
import { BoundedCache } from '../../apimachinery/collections/bounded-cache.ts';
import { TIMER_MS_MAX } from '../../apimachinery/values/duration.ts';
import type { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';
import { isAnswerOfType } from '../../webhooks/is-answer-of-type.ts';
import { webhookRetry } from '../../webhooks/retry-settings.ts';
import { WebhookClient } from '../../webhooks/webhook-client.ts';
import { WebhookError } from '../../webhooks/webhook-error.ts';
import { normalize } from '../../codec/normalize.ts';
import { schemaOf } from '../../codec/schemas.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { ImageReviewSpec, ImageReviewStatus } from '../../generated/types/imagepolicy-v1alpha1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { passOnAnnotations } from '../pass-on-annotations.ts';
import { refusal } from '../refusal.ts';
import { timeLeftMs, tooLate } from '../time-left.ts';
import { handles, writesContainers } from '../handles.ts';
import type { ImagePolicyConfiguration } from './configuration.ts';

interface Remembered {
  readonly status: ImageReviewStatus;
  readonly untilMs: number;
}

const ANSWERS_MAX = 1024;
/** Clients choose the content of reviews: answers to longer ones are not cached. */
const QUESTION_LENGTH_MAX = 16_384;
const REVIEW_VERSION = 'imagepolicy.k8s.io/v1alpha1';
const AUDIT_PREFIX = 'imagepolicywebhook.image-policy.k8s.io';
/** Set on pods that were admitted because the backend did not answer. */
const FAILED_OPEN = 'alpha.image-policy.k8s.io/failed-open';
const SHOWN_ANNOTATION = /^.*\.image-policy\.k8s\.io\/.*$/s;

/** Bound of one attempt, milliseconds. */
const CALL_TIMEOUT_MS = 30_000;

/** Asks a backend whether the images of a pod are allowed. */
export function imagePolicyWebhookPlugin(
  { backend, allowTtlMs, denyTtlMs, retryBackoffMs, defaultAllow }: ImagePolicyConfiguration,
  nowMs: () => number,
  certificates: DeprecatedCertificates,
): AdmissionPlugin {
  const client = new WebhookClient({
    config: backend,
    certificates,
    timeoutMs: CALL_TIMEOUT_MS,
    retry: { ...webhookRetry, initialMs: retryBackoffMs },
  });
  const known = new BoundedCache<Remembered>(ANSWERS_MAX);
  const statusFor = async (spec: ImageReviewSpec, request: AdmissionRequest): Promise<ImageReviewStatus> => {
    const key = stringifyJson(spec);
    const remembered = known.get(key);
    if (remembered !== undefined && nowMs() < remembered.untilMs) return remembered.status;
    const review = { kind: 'ImageReview', apiVersion: REVIEW_VERSION, metadata: {}, spec, status: { allowed: false } };
    const status = statusOf(await inTime(request, (signal) => client.call(review, { signal })));
    const ttlMs = status.allowed ? allowTtlMs : denyTtlMs;
    if (ttlMs > 0 && key.length <= QUESTION_LENGTH_MAX) known.set(key, { status, untilMs: nowMs() + ttlMs });
    return status;
  };
  return {
    name: 'ImagePolicyWebhook',
    validate: handles(writesContainers, async (request) => {
      const pod = request.object;
      let status: ImageReviewStatus;
      try {
        status = await statusFor(specOf(pod, request), request);
      } catch (error) {
        if (!(error instanceof WebhookError)) throw error;
        if (!defaultAllow) throw refusal(request, error.message);
        request.notes.annotate(`${AUDIT_PREFIX}/failed-open`, 'true');
        markFailedOpen(pod);
        return;
      }
      passOnAnnotations(request.notes, AUDIT_PREFIX, status.auditAnnotations);
      if (status.allowed) return;
      throw refusal(
        request,
        status.reason
          ? `image policy webhook backend denied one or more images: ${status.reason}`
          : 'one or more images rejected by webhook backend',
      );
    }),
  };
}

/** Ends a call, retries included, when the client's request times out, and then throws 504. */
async function inTime<T>(request: AdmissionRequest, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), Math.min(timeLeftMs(request), TIMER_MS_MAX));
  try {
    return await call(ended.signal);
  } catch (error) {
    // The timer may be a fraction of a millisecond early.
    throw ended.signal.aborted ? tooLate() : error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Only after validation and in this round it is known that the backend did not answer; the annotation is the server's
 * own and always valid.
 */
function markFailedOpen({ metadata }: Pod): void {
  metadata.annotations = { ...metadata.annotations, [FAILED_OPEN]: 'true' };
}

function specOf(pod: Pod, { subresource, namespace }: AdmissionRequest): ImageReviewSpec {
  const { containers, initContainers, ephemeralContainers } = pod.spec ?? {};
  const shown =
    subresource === 'ephemeralcontainers'
      ? (ephemeralContainers ?? [])
      : [...(containers ?? []), ...(initContainers ?? [])];
  const annotations: Record<string, string> = {};
  for (const [key, value] of Object.entries(pod.metadata?.annotations ?? {}))
    if (SHOWN_ANNOTATION.test(key)) setKey(annotations, key, value);
  return {
    containers: shown.map(({ image }) => ({ image })),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    namespace,
  };
}

function statusOf(document: unknown): ImageReviewStatus {
  const review = document !== null && typeof document === 'object' ? document : {};
  if (!isAnswerOfType(review, REVIEW_VERSION, 'ImageReview'))
    throw new WebhookError('image policy webhook', 'the answer is no ImageReview');
  try {
    return normalize<ImageReviewStatus>(
      getKey(review, 'status') ?? {},
      schemaOf('imagepolicy/v1alpha1.ImageReviewStatus'),
    );
  } catch (error) {
    throw new WebhookError('image policy webhook', (error as Error).message);
  }
}
