import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from '../../authorization/authorizer.ts';
import { requestAttributes } from '../request/request-attributes.ts';
import type { Filter, RequestContext } from '../request/request-context.ts';
import { denyRequest } from './deny-request.ts';
import type { AuthorizationResult, RequestMetrics } from './record-metrics.ts';

const DECISION = 'authorization.k8s.io/decision';
const REASON = 'authorization.k8s.io/reason';

/**
 * Passes requests that an authorizer allows; answers all others with 403, and 500 when none could decide. The audit
 * event has the decision and the reason.
 */
export function authorize(authorizer: Authorizer, metrics: Pick<RequestMetrics, 'authorized'>): Filter {
  return (next) => async (context) => {
    const attributes = requestAttributes(context);
    const begin = performance.now();
    const seconds = (): number => (performance.now() - begin) / 1000;
    const asked = ask(authorizer, attributes, context, () => metrics.authorized('error', seconds()));
    const { decision, reason } = asked instanceof Promise ? await asked : asked;
    metrics.authorized(results[decision], seconds());
    context.annotate(DECISION, decision === 'allow' ? 'allow' : 'forbid');
    context.annotate(REASON, reason);
    if (decision !== 'allow') denyRequest(context, attributes, reason);
    return next(context);
  };
}

const results = { allow: 'allowed', deny: 'denied', 'no-opinion': 'no-opinion' } as const satisfies Record<
  AuthorizationDecision['decision'],
  AuthorizationResult
>;

function ask(
  authorizer: Authorizer,
  attributes: AuthorizationAttributes,
  context: RequestContext,
  onFailure: () => void,
): Promise<AuthorizationDecision> | AuthorizationDecision {
  const failed = (error: unknown): never => {
    onFailure();
    context.annotate(REASON, 'internal error');
    throw error;
  };
  try {
    const asked = authorizer.authorize(attributes);
    return asked instanceof Promise ? asked.catch(failed) : asked;
  } catch (error) {
    return failed(error);
  }
}
