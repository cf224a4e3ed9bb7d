import { steadyMs } from '../apimachinery/steady-clock.ts';
import { webhookRetry } from '../webhooks/retry-settings.ts';
import { WebhookClient } from '../webhooks/webhook-client.ts';
import type { AuthorizationMode } from '../options/rows/authorization.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import { abacAuthorizer } from './abac/authorizer.ts';
import { alwaysAllow } from './always-allow/authorizer.ts';
import { alwaysDeny } from './always-deny/authorizer.ts';
import type { AuthorizationConfig } from './authorization-config.ts';
import type { AuthorizationObserver } from './authorization-observer.ts';
import type { Authorizer } from './authorizer.ts';
import { nodeAuthorizer } from './node/authorizer.ts';
import { followGraph } from './node/follow-graph.ts';
import { rbacAuthorizer } from './rbac/authorizer.ts';
import { nodeRules } from './rbac/default-policy/default-policy.ts';
import { EscalationChecks } from './rbac/escalation.ts';
import { followPolicy, policyIsFresh } from './rbac/policy-index.ts';
import { systemMasters } from './system-masters.ts';
import { unionAuthorizer } from './union/authorizer.ts';
import { webhookAuthorizer } from './webhook/authorizer.ts';

export interface AuthorizerSettings {
  readonly config: AuthorizationConfig;
  readonly stores: StoreAccess;
  readonly observer: AuthorizationObserver;
  /** Failures outside of requests. */
  readonly onError: (error: unknown, where: string) => void;
}

export interface Authorization {
  /** All modes in their order, administrators first. */
  readonly authorizer: Authorizer;
  /** The check for writes of roles and bindings, in any mode. */
  readonly escalation: EscalationChecks;
}

const CALL_TIMEOUT_MS = 30_000;
const RETRY_INITIAL_MS = 500;

/**
 * Makes the authorizers of `--authorization-mode`. They follow the stores' caches from their loading on: before it
 * nothing is known, and nothing but administrators is let through.
 */
export function buildAuthorizer(settings: AuthorizerSettings): Authorization {
  const { config, stores, observer, onError } = settings;
  const index = followPolicy(stores, onError);
  const make: Readonly<Record<AuthorizationMode, () => Authorizer>> = {
    AlwaysAllow: () => alwaysAllow,
    AlwaysDeny: () => alwaysDeny,
    ABAC: () => abacAuthorizer(config.policies),
    Webhook: () => webhookOf(settings),
    RBAC: () => rbacAuthorizer(index),
    Node: () => nodeAuthorizer({ ...followGraph(stores, observer, onError), rules: nodeRules() }),
  };
  const authorizer = unionAuthorizer([systemMasters, ...config.modes.map((mode) => make[mode]())]);
  return { authorizer, escalation: new EscalationChecks({ index, authorizer, fresh: () => policyIsFresh(stores) }) };
}

function webhookOf({ config, observer, onError }: AuthorizerSettings): Authorizer {
  const { service, version, allowedTtlMs, otherTtlMs } = config.webhook!;
  const client = new WebhookClient({
    config: service,
    certificates: observer.webhookCertificates,
    timeoutMs: CALL_TIMEOUT_MS,
    retry: { ...webhookRetry, initialMs: RETRY_INITIAL_MS },
  });
  return webhookAuthorizer({
    call: (review) => client.call(review),
    version,
    allowedTtlMs,
    otherTtlMs,
    nowMs: steadyMs,
    onError: (error) => onError(error, 'authorization webhook'),
  });
}
