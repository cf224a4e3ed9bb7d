import { aggregateMessage } from '../aggregate-message.ts';
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer, SubjectRules } from '../authorizer.ts';

/** Some mode failed to decide, and no other one did. `reason` is that of the modes that answered. */
export class UndecidedError extends Error {
  readonly reason: string;

  constructor(failures: readonly string[], reason: string) {
    super(aggregateMessage(failures));
    this.name = 'UndecidedError';
    this.reason = reason;
  }
}

/**
 * Modes in the order of `--authorization-mode`: the first that allows or denies decides. A mode that fails counts as
 * one without an opinion; when no other decides, `UndecidedError` is thrown, so that the request is refused.
 */
export function unionAuthorizer(modes: readonly Authorizer[]): Authorizer {
  return {
    name: 'union',
    authorize: (attributes) => decide(modes, attributes),
    rulesFor: async (user, namespace) =>
      combine(await Promise.all(modes.map((mode) => mode.rulesFor(user, namespace)))),
  };
}

/** Reasons of modes without an opinion. */
interface Undecided {
  readonly reasons: string[];
  readonly failures: string[];
}

/** Synchronous unless a mode has to wait: most never do, and every request passes here. */
function decide(
  modes: readonly Authorizer[],
  attributes: AuthorizationAttributes,
): Promise<AuthorizationDecision> | AuthorizationDecision {
  const undecided: Undecided = { reasons: [], failures: [] };
  for (const [i, mode] of modes.entries()) {
    try {
      const asked = mode.authorize(attributes);
      if (asked instanceof Promise) return decideLater(asked, modes.slice(i + 1), attributes, undecided);
      if (asked.decision !== 'no-opinion') return asked;
      leave(asked, undecided);
    } catch (error) {
      fail(error, undecided);
    }
  }
  return noneDecided(undecided);
}

async function decideLater(
  first: Promise<AuthorizationDecision>,
  others: readonly Authorizer[],
  attributes: AuthorizationAttributes,
  undecided: Undecided,
): Promise<AuthorizationDecision> {
  for (const ask of [() => first, ...others.map((mode) => () => mode.authorize(attributes))]) {
    try {
      const decision = await ask();
      if (decision.decision !== 'no-opinion') return decision;
      leave(decision, undecided);
    } catch (error) {
      fail(error, undecided);
    }
  }
  return noneDecided(undecided);
}

function leave({ reason }: AuthorizationDecision, { reasons }: Undecided): void {
  if (reason !== '') reasons.push(reason);
}

function fail(error: unknown, { failures }: Undecided): void {
  failures.push(error instanceof Error ? error.message : String(error));
}

function noneDecided({ reasons, failures }: Undecided): AuthorizationDecision {
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
