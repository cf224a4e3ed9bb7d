import { createHash } from 'node:crypto';
import { BoundedCache } from '../../apimachinery/collections/bounded-cache.ts';
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from '../authorizer.ts';
import { decisionOf, reviewOf, type ReviewVersion } from './review.ts';

export interface WebhookAuthorizerSettings {
  /** Sends a review and reads the answer; rejects without a usable one, after its own retries. */
  readonly call: (review: object) => Promise<unknown>;
  readonly version: ReviewVersion;
  /** How long allowing answers are cached, and how long all others; milliseconds, 0 for not at all. */
  readonly allowedTtlMs: number;
  readonly otherTtlMs: number;
  readonly nowMs: () => number;
  /** Failures of the service. */
  readonly onError: (error: unknown) => void;
}

interface Remembered {
  readonly decision: AuthorizationDecision;
  readonly untilMs: number;
}

const ENTRIES_MAX = 8192;
/** Texts from clients must not fill the memory: longer requests are not cached. */
const QUESTION_LENGTH_MAX = 10_000;
/** Longer requests are cached by their hash: reviews can name users with any number of groups. */
const KEY_LENGTH_MAX = 1000;

/**
 * Mode Webhook: a service decides, and is called again when its answer is too old. When it is unreachable the mode
 * throws, which counts as no opinion.
 */
export function webhookAuthorizer(settings: WebhookAuthorizerSettings): Authorizer {
  const known = new BoundedCache<Remembered>(ENTRIES_MAX);
  /** Reviews in flight: equal requests wait for one answer. */
  const asking = new Map<string, Promise<AuthorizationDecision>>();
  return {
    name: 'Webhook',
    async authorize(attributes) {
      const review = reviewOf(settings.version, attributes);
      const key = keyOf(review);
      const remembered = known.get(key);
      if (remembered !== undefined && remembered.untilMs > settings.nowMs()) return remembered.decision;
      const inFlight = asking.get(key);
      if (inFlight !== undefined) return inFlight;
      const asked = ask(settings, review).finally(() => asking.delete(key));
      asking.set(key, asked);
      const decision = await asked;
      const ttlMs = decision.decision === 'allow' ? settings.allowedTtlMs : settings.otherTtlMs;
      if (ttlMs > 0 && chosenLength(attributes) <= QUESTION_LENGTH_MAX)
        known.set(key, { decision, untilMs: settings.nowMs() + ttlMs });
      return decision;
    },
    rulesFor: () => ({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: 'webhook authorizer does not support user rule resolution',
    }),
  };
}

function keyOf(review: object): string {
  const text = JSON.stringify((review as { spec: object }).spec);
  return text.length <= KEY_LENGTH_MAX ? text : createHash('sha256').update(text).digest('base64');
}

async function ask(
  { call, version, onError }: WebhookAuthorizerSettings,
  review: object,
): Promise<AuthorizationDecision> {
  try {
    return decisionOf(version, await call(review));
  } catch (error) {
    onError(error);
    throw error;
  }
}

function chosenLength({
  verb,
  apiGroup,
  apiVersion,
  resource,
  subresource,
  namespace,
  name,
  path,
}: AuthorizationAttributes): number {
  return [verb, apiGroup, apiVersion, resource, subresource, namespace, name, path].reduce(
    (sum, text) => sum + text.length,
    0,
  );
}
