import { readFileSync } from 'node:fs';
import { steadyMs } from '../apimachinery/steady-clock.ts';
import { ClusterConfigError, readClusterConfig } from '../client/cluster-config.ts';
import { webhookRetry } from '../webhooks/retry-settings.ts';
import { WebhookClient } from '../webhooks/webhook-client.ts';
import { GatheredProblems } from '../options/gathered-problems.ts';
import { fileErrorText } from '../options/readable-file.ts';
import type { OptionValues } from '../options/option.ts';
import { optionProblem, OptionsError } from '../options/options-error.ts';
import type { AuthorizationMode } from '../options/rows/authorization.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import { abacAuthorizer } from './abac/authorizer.ts';
import { readPolicies } from './abac/policy-file.ts';
import { alwaysAllow } from './always-allow/authorizer.ts';
import { alwaysDeny } from './always-deny/authorizer.ts';
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
import type { ReviewVersion } from './webhook/review.ts';

export interface AuthorizerSettings {
  readonly options: OptionValues;
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
 * Builds the authorizers of `--authorization-mode`. They follow the stores' caches from their loading on: before it
 * only administrators are allowed. Throws `OptionsError` for files that cannot be used.
 */
export function buildAuthorizer(settings: AuthorizerSettings): Authorization {
  const { options, stores, observer, onError } = settings;
  const index = followPolicy(stores, onError);
  const make: Readonly<Record<AuthorizationMode, () => Authorizer>> = {
    AlwaysAllow: () => alwaysAllow,
    AlwaysDeny: () => alwaysDeny,
    ABAC: () => abacOf(options),
    Webhook: () => webhookOf(settings),
    RBAC: () => rbacAuthorizer(index),
    Node: () => nodeAuthorizer({ ...followGraph(stores, observer, onError), rules: nodeRules() }),
  };
  const modes = options.list('authorization-mode') as AuthorizationMode[];
  const gathered = new GatheredProblems();
  const made = modes.map((mode) => gathered.attempt(make[mode]));
  gathered.throwIfAny();
  const authorizer = unionAuthorizer([systemMasters, ...made.map((one) => one!)]);
  return { authorizer, escalation: new EscalationChecks({ index, authorizer, fresh: () => policyIsFresh(stores) }) };
}

const POLICY_FILE = 'authorization-policy-file';
const WEBHOOK_FILE = 'authorization-webhook-config-file';

function abacOf(options: OptionValues): Authorizer {
  const file = options.string(POLICY_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new OptionsError([optionProblem(POLICY_FILE, file, fileErrorText(error))]);
  }
  const { policies, problems } = readPolicies(text);
  if (problems.length > 0) throw new OptionsError(problems.map((problem) => optionProblem(POLICY_FILE, file, problem)));
  return abacAuthorizer(policies);
}

function webhookOf({ options, observer, onError }: AuthorizerSettings): Authorizer {
  const file = options.string(WEBHOOK_FILE);
  let client: WebhookClient;
  try {
    client = new WebhookClient({
      config: readClusterConfig(file),
      certificates: observer.webhookCertificates,
      timeoutMs: CALL_TIMEOUT_MS,
      retry: { ...webhookRetry, initialMs: RETRY_INITIAL_MS },
    });
  } catch (error) {
    if (!(error instanceof ClusterConfigError)) throw error;
    throw new OptionsError(error.problems.map((problem) => optionProblem(WEBHOOK_FILE, file, problem)));
  }
  return webhookAuthorizer({
    call: (review) => client.call(review),
    version: options.string('authorization-webhook-version') as ReviewVersion,
    allowedTtlMs: options.durationMs('authorization-webhook-cache-authorized-ttl'),
    otherTtlMs: options.durationMs('authorization-webhook-cache-unauthorized-ttl'),
    nowMs: steadyMs,
    onError: (error) => onError(error, 'authorization webhook'),
  });
}
