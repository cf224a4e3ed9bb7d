import { readFileSync } from 'node:fs';
import { ClusterConfigError, readClusterConfig, type ClusterConfig } from '../client/cluster-config.ts';
import { GatheredProblems } from '../options/gathered-problems.ts';
import type { OptionValues } from '../options/option.ts';
import { optionProblem, OptionsError } from '../options/options-error.ts';
import { fileErrorText } from '../options/readable-file.ts';
import type { AuthorizationMode } from '../options/rows/authorization.ts';
import { readPolicies } from './abac/policy-file.ts';
import type { AbacPolicy } from './abac/policy.ts';
import type { ReviewVersion } from './webhook/review.ts';

/** What options say of who may do what, with what is in the files that they name. */
export interface AuthorizationConfig {
  /** In the order of asking. */
  readonly modes: readonly AuthorizationMode[];
  /** Of the mode ABAC. */
  readonly policies: readonly AbacPolicy[];
  /** Of the mode Webhook. */
  readonly webhook: AuthorizationWebhook | undefined;
}

export interface AuthorizationWebhook {
  readonly service: ClusterConfig;
  readonly version: ReviewVersion;
  readonly allowedTtlMs: number;
  readonly otherTtlMs: number;
}

const POLICY_FILE = 'authorization-policy-file';
const WEBHOOK_FILE = 'authorization-webhook-config-file';

/**
 * Reads the files of the modes that are on. Throws `OptionsError` with all that is wrong with them; that an option
 * names none is found by the rules between options.
 */
export function readAuthorizationConfig(options: OptionValues): AuthorizationConfig {
  const modes = options.list('authorization-mode') as AuthorizationMode[];
  const gathered = new GatheredProblems();
  let policies: readonly AbacPolicy[] = [];
  let webhook: AuthorizationWebhook | undefined;
  for (const mode of modes) {
    if (mode === 'ABAC') policies = gathered.attempt(() => policiesOf(options)) ?? [];
    if (mode === 'Webhook') webhook = gathered.attempt(() => webhookOf(options));
  }
  gathered.throwIfAny();
  return { modes, policies, webhook };
}

function policiesOf(options: OptionValues): readonly AbacPolicy[] {
  const file = options.string(POLICY_FILE);
  if (file === '') return [];
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new OptionsError([optionProblem(POLICY_FILE, file, fileErrorText(error))]);
  }
  const { policies, problems } = readPolicies(text);
  if (problems.length > 0) throw new OptionsError(problems.map((problem) => optionProblem(POLICY_FILE, file, problem)));
  return policies;
}

function webhookOf(options: OptionValues): AuthorizationWebhook | undefined {
  const file = options.string(WEBHOOK_FILE);
  if (file === '') return undefined;
  let service: ClusterConfig;
  try {
    service = readClusterConfig(file);
  } catch (error) {
    if (!(error instanceof ClusterConfigError)) throw error;
    throw new OptionsError(error.problems.map((problem) => optionProblem(WEBHOOK_FILE, file, problem)));
  }
  return {
    service,
    version: options.string('authorization-webhook-version') as ReviewVersion,
    allowedTtlMs: options.durationMs('authorization-webhook-cache-authorized-ttl'),
    otherTtlMs: options.durationMs('authorization-webhook-cache-unauthorized-ttl'),
  };
}
