import { aggregateMessage } from '../aggregate-message.ts';
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer, SubjectRules } from '../authorizer.ts';

/** Some mode failed to decide, and no other one did. `reason` is what those that answered said. */
export class UndecidedError extends Error {
  readonly reason: string;

  constructor(failures: readonly string[], reason: string) {
    super(aggregateMessage(failures));
    this.name = 'UndecidedError';
    this.reason = reason;
  }
}

/**
 * Modes in the order of `--authorization-mode`: the first that says yes or no decides. A mode that fails counts as one without an opinion; when no
 * other decides, `UndecidedError` is thrown, so that the request is not let through.
 */
export function unionAuthorizer(modes: readonly Authorizer[]): Authorizer {
  return {
    name: 'union',
    authorize: (attributes) => decide(modes, attributes),
    rulesFor: async (user, namespace) => combine(await Promise.all(modes.map((mode) => mode.rulesFor(user, namespace)))),
  };
}

async function decide(modes: readonly Authorizer[], attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
  const reasons: string[] = [];
  const failures: string[] = [];
  for (const mode of modes) {
    try {
      const asked = mode.authorize(attributes);
      const decision = asked instanceof Promise ? await asked : asked;
      if (decision.decision !== 'no-opinion') return decision;
      if (decision.reason !== '') reasons.push(decision.reason);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  const reason = reasons.join('\n');
  if (failures.length > 0) throw new UndecidedError(failures, reason);
  return { decision: 'no-opinion', reason };
}

function combine(all: readonly SubjectRules[]): SubjectRules {
  const errors = all.flatMap(({ evaluationError }) => (evaluationError === undefined ? [] : [evaluationError]));
  return {
    resourceRules: all.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: all.flatMap(({ nonResourceRules }) => nonResourceRules),
    incomplete: all.some(({ incomplete }) => incomplete),
    ...(errors.length === 0 ? {} : { evaluationError: aggregateMessage(errors) }),
  };
}
