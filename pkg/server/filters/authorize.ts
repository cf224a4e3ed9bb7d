import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from '../../authorization/authorizer.ts';
import { requestAttributes } from '../request-attributes.ts';
import type { Filter, RequestContext } from '../request-context.ts';
import { denyRequest } from './deny-request.ts';

const DECISION = 'authorization.k8s.io/decision';
const REASON = 'authorization.k8s.io/reason';

/** Lets through what some authorizer allows; answers everything else 403, and 500 when none could tell. The audit event says which and why. */
export function authorize(authorizer: Authorizer): Filter {
  return (next) => async (context) => {
    const attributes = requestAttributes(context);
    const asked = ask(authorizer, attributes, context);
    const { decision, reason } = asked instanceof Promise ? await asked : asked;
    context.annotate(DECISION, decision === 'allow' ? 'allow' : 'forbid');
    context.annotate(REASON, reason);
    if (decision !== 'allow') denyRequest(context, attributes, reason);
    return next(context);
  };
}

function ask(authorizer: Authorizer, attributes: AuthorizationAttributes, context: RequestContext): Promise<AuthorizationDecision> | AuthorizationDecision {
  const failed = (error: unknown): never => {
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
